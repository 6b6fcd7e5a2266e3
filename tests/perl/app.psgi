# SPDX-License-Identifier: GPL-2.0-or-later
# app.psgi: for Plack's servers: /NAME is the documentation of a module of this perl as plain text.
use strict;
use warnings;
use Pod::Text;
use Pod::Perldoc;

sub text {
	my ($name) = @_;
	my ($file) = Pod::Perldoc->new->searchfor(0, $name, @INC, map "$_/pod", @INC) or return undef;
	my $pod = Pod::Text->new(width => 100);
	$pod->output_string(\my $text);
	$pod->parse_file($file);
	return $text;
}

sub {
	my ($env) = @_;
	my $text = text($env->{PATH_INFO} =~ s|^/||r);
	return [404, ['Content-Type' => 'text/plain'], ["no such page\n"]] unless defined $text;
	return [200, ['Content-Type' => 'text/plain; charset=utf-8'], [$text]];
};
