# SPDX-License-Identifier: GPL-2.0-or-later
# app.pl daemon -l http://127.0.0.1:PORT: a server (Mojolicious) of this perl's own documentation: /NAME is a page made of NAME.pod or NAME.pm,
# /NAME.json the names of its headings.
use Mojolicious::Lite -signatures;
use Pod::Simple::XHTML;
use Pod::Perldoc;

sub source ($name) {
	my ($file) = Pod::Perldoc->new->searchfor(0, $name, @INC, map "$_/pod", @INC);
	return $file ? Mojo::File->new($file)->slurp : undef;
}

sub page ($name) {
	my $text = source($name) // return undef;
	my $pod = Pod::Simple::XHTML->new;
	$pod->html_header('');
	$pod->html_footer('');
	$pod->output_string(\my $html);
	$pod->parse_string_document($text);
	return Mojo::DOM->new($html);
}

get '/:name' => [format => ['json', 'html']] => {format => 'html'} => sub ($c) {
	my $dom = page($c->param('name')) or return $c->reply->not_found;
	my $headings = $dom->find('h1, h2')->map('all_text')->to_array;
	$c->respond_to(
		json => {json => {headings => $headings}},
		html => sub { $c->render(template => 'page', headings => $headings, dom => $dom) });
};
app->log->level('warn');
app->start;
__DATA__
@@ page.html.ep
<title><%= param 'name' %></title>
<ul>
% for my $heading (@$headings) {
<li><%= $heading %></li>
% }
</ul>
%== $dom
