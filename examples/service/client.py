#!/usr/bin/env python3
"""A client of the decision service; the standard library is all it needs.

    service = Service("http://127.0.0.1:8600")
    decision = service.decide("mail", key="visitor-8812")
    service.outcome(decision, context="opened", reward=1)

Run as a program it creates the experiment of mail.json and plays made-up visitors: client.py [URL…].
"""
import http.client
import json
import os
import random
import sys
import time
import urllib.parse


class Refused(Exception):
    """The service said no, and why: `problem` has field, value and expected."""

    def __init__(self, problem):
        super().__init__(problem.get("detail", str(problem)))
        self.problem = problem


class Service:
    """At one address, or at those of several nodes: Service("http://a:8600", "http://b:8600")."""

    def __init__(self, *urls, token=os.environ.get("ARMATURE_TOKEN"), tries=12):
        self.urls = [url.rstrip("/") for some in urls for url in some.split(",")]
        self.tries, self.lines, self.owners = tries, {}, {}  # connections by URL, URLs by experiment
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, url, method, path, body, headers):
        if url not in self.lines:
            place = urllib.parse.urlsplit(url)
            kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
            self.lines[url] = kind(place.netloc, timeout=10)
        self.lines[url].request(method, path, json.dumps(body) if body is not None else None, {**self.headers, **headers})
        reply = self.lines[url].getresponse()
        return reply, json.loads(reply.read())

    def ask(self, method, path, body=None, **headers):
        """Tries again while there is no answer: the service repeats itself, it never does a thing twice. Any node will
        do; the owner of an experiment, once an answer has named it, saves a hop."""
        experiment = path.split("/")[3] if path.startswith("/v1/experiments/") else None
        for attempt in range(self.tries):
            url, pause = self.owners.get(experiment, self.urls[0]), min(5, 0.1 * 2**attempt) * random.random()
            try:
                reply, answer = self.send(url, method, path, body, headers)
                if reply.status not in (429, 503) or attempt + 1 == self.tries:
                    if reply.status >= 400:
                        raise Refused(answer)
                    if reply.getheader("Armature-Owner") in self.urls:  # no other address is given a token
                        self.owners[experiment] = reply.getheader("Armature-Owner")
                    return answer
                pause = max(pause, float(reply.getheader("Retry-After") or 0))
                if reply.status == 429:  # too much was asked of it: another node would not help
                    time.sleep(pause)
                    continue
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                self.lines.pop(url, None)
                if attempt + 1 == self.tries:
                    raise
            self.owners.pop(experiment, None)
            if url == self.urls[0]:  # the next one's turn
                self.urls.append(self.urls.pop(0))
            time.sleep(pause)  # in all long enough for another node to take over from one that is gone

    def create(self, experiment):
        return self.ask("POST", "/v1/experiments", experiment)

    def decide(self, experiment, key):  # with a key, the second try gets the decision of the first
        return self.ask("POST", f"/v1/experiments/{experiment}/decide", {}, **{"Idempotency-Key": key})

    def outcome(self, decision, **seen):  # context=…, reward=…, or both
        name = decision["decision"]
        return self.ask("POST", f"/v1/experiments/{name.split('.')[0]}/decisions/{name}/outcome", seen)


if __name__ == "__main__":
    service = Service(*(sys.argv[1:] or ["http://127.0.0.1:8600"]))
    with open(os.path.join(os.path.dirname(__file__), "mail.json")) as file:
        experiment = json.load(file)
    service.create(experiment)
    problem, luck = experiment["problem"], random.Random(1)
    for visitor in range(100):
        decision = service.decide("mail", key=f"python-{visitor}")
        mix = problem["marginals"][decision["action_index"]]
        context = luck.choices(problem["contexts"], mix)[0]
        buys = luck.random() < {"ignored": 0.02, "opened": 0.1, "clicked": 0.5}[context]
        service.outcome(decision, context=context, reward=int(buys))
    view = service.ask("GET", "/v1/experiments/mail")
    while int(view["seq"]) <= int(decision["seq"]):  # what is shown may be a tenth of a second old
        view = service.ask("GET", "/v1/experiments/mail")
    print(f"{view['counts']['decisions']} decisions")
    for action in view["actions"]:
        print(f"{action['name']:8} {action['decided']:4} times, {action['rewards']:3.0f} bought")
