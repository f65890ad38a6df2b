"""A bandit behind Flask and SQLite as people write it in an afternoon: ucb over twenty actions, a row per decision,
a commit per request. What it lacks beside `armature serve`: keys, deadlines, late and repeated reports, replay.

    python3 bench/flask_service.py FILE PORT
"""
import math
import sqlite3
import sys
import threading

from flask import Flask, jsonify, request
from werkzeug.serving import WSGIRequestHandler

FILE, PORT = sys.argv[1], int(sys.argv[2])
ACTIONS = 20
app = Flask(__name__)
lock = threading.Lock()
plays, rewards = [0] * ACTIONS, [0.0] * ACTIONS
store = sqlite3.connect(FILE, check_same_thread=False)
store.execute("PRAGMA journal_mode = WAL")
store.execute("PRAGMA synchronous = FULL")
store.execute("CREATE TABLE IF NOT EXISTS decisions(id INTEGER PRIMARY KEY, action INTEGER, context TEXT, reward REAL)")


def index(action, t):
    if plays[action] == 0:
        return math.inf
    return rewards[action] / plays[action] + math.sqrt(2 * math.log(t) / plays[action])


@app.post("/v1/experiments/mail/decide")
def decide():
    request.get_data()  # what is not read would be taken for the next request of this connection
    with lock:
        t = sum(plays) + 1
        action = max(range(ACTIONS), key=lambda a: index(a, t))
        row = store.execute("INSERT INTO decisions(action) VALUES (?)", (action,))
        store.commit()
        return jsonify(decision=f"{row.lastrowid}", action=action)


@app.post("/v1/experiments/mail/decisions/<int:decision>/outcome")
def outcome(decision):
    told = request.get_json()
    with lock:
        row = store.execute("SELECT action, reward FROM decisions WHERE id = ?", (decision,)).fetchone()
        if row is None or row[1] is not None:
            return jsonify(error="no such decision, or it has its outcome"), 409
        store.execute("UPDATE decisions SET context = ?, reward = ? WHERE id = ?",
                      (told["context"], told["reward"], decision))
        store.commit()
        plays[row[0]] += 1
        rewards[row[0]] += told["reward"]
        return jsonify(status="learned")


WSGIRequestHandler.protocol_version = "HTTP/1.1"  # connections are kept, as armature keeps them
app.run(port=PORT, threaded=True)
