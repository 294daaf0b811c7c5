"""Certificates of the controller, its clients and authorities. They are read, and requests made, by openssl."""

import subprocess
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from daemon import Daemon, Refused
from interfaces import whole

CERTS = '/xyz/openbmc_project/certs'


class Certificates(Daemon):
    def __init__(self, name, kind, kept=None):
        """`kept` is the file that it keeps its certificate and key in."""
        self.path = f'{CERTS}/{kind}'
        super().__init__(whole(f'Certs.Manager.{name}'), managers=[self.path])
        self.last = 0
        self.add(self.path, {'Certs.Install': {}, 'Certs.CSR.Create': {}, 'Collection.DeleteAll': {}})
        self.answer('Certs.Install', Install=self._install)
        self.answer('Certs.Replace', Replace=lambda path, file: self._put(path, file))
        self.answer('Certs.CSR.Create', GenerateCSR=self._request)
        self.answer('Certs.CSR', CSR=lambda _: self.request)
        self.answer('Object.Delete', Delete=self._delete)
        self.answer('Collection.DeleteAll', DeleteAll=self._clear)
        self.request = ''
        self.kept = kept and Path(kept)
        if self.kept and self.kept.exists():
            self._put(f'{self.path}/1', kept)
            self.last = 1

    def _install(self, _, file):
        single = 'authority' not in self.path
        if single and any(self.has(path, 'Certs.Certificate') for path in self.objects):
            raise Refused('Common.Error.NotAllowed', 'There is a certificate')
        self.last += 1
        path = f'{self.path}/{self.last}'
        self._put(path, file)
        return path

    def _put(self, path, file):
        shown = read(file)
        if self.kept:
            if run('x509', '-in', str(file), '-noout', '-pubkey') != run('pkey', '-in', str(file), '-pubout'):
                raise Refused('Certs.Error.InvalidCertificate', 'The private key does not match the certificate')
            self.kept.write_bytes(Path(file).read_bytes())
        if path in self.objects:
            self.set(path, 'Certs.Certificate', **shown)
        else:
            self.add(path, {'Certs.Certificate': shown, 'Certs.Replace': {}, 'Object.Delete': {}})

    def _delete(self, path):
        if self.kept and self.has(path, 'Certs.Certificate'):
            self.kept.unlink(missing_ok=True)
        self.remove(path)

    def _clear(self, _):
        for path in [path for path in self.objects if path != self.path]:
            self._delete(path)

    def _request(self, _, *given):
        city, name, country, organization, unit, state = (given[at] for at in (2, 3, 5, 13, 14, 15))
        parts = {'C': country, 'ST': state, 'L': city, 'O': organization, 'OU': unit, 'CN': name}
        subject = ''.join(f'/{key}={value}' for key, value in parts.items() if value)
        with tempfile.TemporaryDirectory() as folder:
            kind = ['rsa:2048'] if given[11] == 'RSA' else ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
            key = ['-newkey', *kind, '-keyout', f'{folder}/key']
            self.request = run('req', '-new', '-nodes', *key, '-subj', subject)
        path = f'{self.path}/csr'
        if path in self.objects:
            self.remove(path)
        self.add(path, {'Certs.CSR': {}, 'Object.Delete': {}})
        return path


def run(*arguments):
    done = subprocess.run(['openssl', *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused('Certs.Error.InvalidCertificate', done.stderr.strip())
    return done.stdout


def read(file):
    if not Path(file).is_file():
        raise Refused('Common.Error.InternalFailure', f'There is no file {file}')
    wanted = '-subject', '-issuer', '-startdate', '-enddate', '-dateopt', 'iso_8601'
    shown = run('x509', '-in', str(file), '-noout', *wanted)
    words = dict(line.split('=', 1) for line in shown.splitlines())
    return {
        'CertificateString': run('x509', '-in', str(file)),
        'Subject': words['subject'].strip(),
        'Issuer': words['issuer'].strip(),
        'ValidNotBefore': seconds(words['notBefore']),
        'ValidNotAfter': seconds(words['notAfter']),
    }


def seconds(text):
    return int(datetime.strptime(text, '%Y-%m-%d %H:%M:%SZ').replace(tzinfo=timezone.utc).timestamp())


def certificates(https):
    return [
        Certificates('Server.Https', 'server/https', https),
        Certificates('Client.Ldap', 'client/ldap'),
        Certificates('Authority.Truststore', 'authority/truststore'),
    ]
