# SPDX-License-Identifier: GPL-2.0-or-later
# load.py PORT CLIENTS PLACE…: opens CLIENTS connections, kept alive, and sends requests for the places in turn, each with one of 64
# numbers, until it is killed. Writes "ready" when each client has had an answer.
import http.client, sys, threading, time

port, clients, places = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
answered = [0] * clients


def client(number):
    nr = number * 11
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    while True:
        place = places[nr % len(places)]
        connection.request("GET", f"{place}{nr * 7 % 64}", headers={"Host": "front.test", "Accept-Encoding": "gzip"})
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            print(place, response.status, flush=True)
        answered[number] += 1
        nr += 1


for number in range(clients):
    threading.Thread(target=client, args=(number,), daemon=True).start()
while not all(answered):
    time.sleep(0.1)
print("ready", flush=True)
while True:
    time.sleep(60)
