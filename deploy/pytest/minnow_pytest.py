"""Fixtures of pytest that start simulated Redfish controllers: a `bmc`, or a `minnow_fleet` of them."""

import base64
import contextlib
import json
import os
import shlex
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest

#: Seconds that a fleet has to stop.
GRACE = 30


class Controller:
    """A controller of a fleet, with the credentials of its administrator.

    `url` is that of the service root, and `identity` the entry of inventory.json. `context` accepts the certificate,
    which the fleet has signed itself.
    """

    user = 'admin'
    password = 'Tin-Whistle-7'

    def __init__(self, identity):
        self.identity = identity
        self.url = identity['url']
        self.context = ssl._create_unverified_context()

    @property
    def authorization(self):
        """Value of the header `Authorization`."""
        return 'Basic ' + base64.b64encode(f'{self.user}:{self.password}'.encode()).decode()

    def request(self, method, path, body=None):
        """Status and JSON of an answer, None without a body. The path is below the service root: `Systems/1/`."""
        headers = {'Authorization': self.authorization, 'Content-Type': 'application/json'}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            answer = urllib.request.urlopen(request, context=self.context)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None

    def get(self, path=''):
        """JSON of a resource. Raises AssertionError for another status than 200."""
        status, answer = self.request('GET', path)
        assert status == 200, answer
        return answer

    def faults(self, rules=(), devices=None):
        """Replaces the faults of requests, and those of the named kinds of devices. Without arguments no request fails."""
        body = {'Rules': list(rules), **({} if devices is None else {'Devices': devices})}
        status, answer = self.request('PATCH', 'Oem/Vendor/Faults/', body)
        assert status == 200, answer


@contextlib.contextmanager
def fleet(description, command='minnow'):
    """Controllers of a fleet while it runs, in the order of their numbers.

    The description is that of a fleet's file, as a dict, or a number of controllers. `data` and `control` have values
    already, and a group without a network or a port has free ports of 127.0.0.1. Raises RuntimeError if the fleet does
    not start.
    """
    if isinstance(description, int):
        description = {'groups': [{'count': description}]}
    with tempfile.TemporaryDirectory(prefix='minnow-') as folder:
        data = Path(folder, 'data')
        file = Path(folder, 'fleet.json')
        local = {'address': '127.0.0.1', 'port': 0}
        groups = [each if {'network', 'port'} & each.keys() else {**local, **each} for each in description['groups']]
        text = json.dumps({'control': True, **description, 'data': str(data), 'groups': groups}, indent=2)
        file.write_text(text)
        environment = {**os.environ, 'MINNOW_ADMIN_PASSWORD': Controller.password}
        arguments = [*shlex.split(command), 'fleet', str(file)]
        with open(Path(folder, 'log'), 'w+') as log:
            process = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
            try:
                if 'listening' not in process.stdout.readline():
                    process.wait(GRACE)
                    log.seek(0)
                    raise RuntimeError(log.read().strip() or f'{command} ended with status {process.returncode}')
                yield [Controller(each) for each in json.loads((data / 'inventory.json').read_text())]
            finally:
                process.terminate()
                process.wait(GRACE)
                process.stdout.close()


def pytest_addoption(parser):
    parser.addoption(
        '--minnow',
        metavar='COMMAND',
        default=os.environ.get('MINNOW', 'minnow'),
        help='the command that runs Minnow (default: the variable MINNOW, or minnow)',
    )


@pytest.fixture
def minnow_fleet(pytestconfig):
    """Starts fleets that end with the test: `minnow_fleet(3)`, or with the dict of a file."""
    with contextlib.ExitStack() as stack:
        command = pytestconfig.getoption('minnow')
        yield lambda description: stack.enter_context(fleet(description, command))


@pytest.fixture
def bmc(minnow_fleet):
    """A controller of its own for the test."""
    return minnow_fleet(1)[0]
