#!/usr/bin/env python3
"""A client of the decision service; the standard library is all it needs.

    service = Service("http://127.0.0.1:8600")
    decision = service.decide("mail", key="visitor-8812")
    service.outcome(decision, context="opened", reward=1)

Run as a program it creates the experiment of mail.json and plays made-up visitors: client.py [URL].
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
    def __init__(self, url, token=os.environ.get("ARMATURE_TOKEN"), tries=8):
        self.url, self.tries, self.line = urllib.parse.urlsplit(url), tries, None
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method, path, body=None, **headers):
        """Tries again while there is no answer: the service repeats itself, it never does a thing twice."""
        for attempt in range(self.tries):
            try:
                if self.line is None:
                    kind = http.client.HTTPSConnection if self.url.scheme == "https" else http.client.HTTPConnection
                    self.line = kind(self.url.netloc, timeout=10)
                self.line.request(method, path, json.dumps(body) if body is not None else None, {**self.headers, **headers})
                reply = self.line.getresponse()
                answer = json.loads(reply.read())
                if reply.status not in (429, 503) or attempt + 1 == self.tries:
                    if reply.status >= 400:
                        raise Refused(answer)
                    return answer
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                self.line = None
                if attempt + 1 == self.tries:
                    raise
            time.sleep(min(5, 0.1 * 2**attempt) * random.random())

    def create(self, experiment):
        return self.ask("POST", "/v1/experiments", experiment)

    def decide(self, experiment, key):  # with a key, the second try gets the decision of the first
        return self.ask("POST", f"/v1/experiments/{experiment}/decide", {}, **{"Idempotency-Key": key})

    def outcome(self, decision, **seen):  # context=…, reward=…, or both
        name = decision["decision"]
        return self.ask("POST", f"/v1/experiments/{name.split('.')[0]}/decisions/{name}/outcome", seen)


if __name__ == "__main__":
    service = Service(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8600")
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
