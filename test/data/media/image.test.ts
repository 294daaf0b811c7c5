import t from 'tap'
import { allowsImage, parseImage, redirection } from '#data/media'

t.test('an image is on a server of HTTPS, or in a file', async (t) => {
  t.same(parseImage('https://files.example:8443/a/b.iso?c=d'), {
    origin: 'https://files.example:8443',
    path: '/a/b.iso?c=d'
  })
  for (const text of ['file:///srv/a%20b.iso', 'file://localhost/srv/a%20b.iso', 'FILE:///srv/a%20b.iso']) {
    t.same(parseImage(text), { file: '/srv/a b.iso' }, text)
  }
})

t.test('all else is no place of an image', async (t) => {
  for (const text of [
    ...['http://files.example/a.iso', 'https://ann:secret@files.example/a.iso', 'https://files.example/a.iso#b'],
    ...['file://elsewhere/a.iso', 'file:a.iso', 'file:///a/../b.iso', 'file:///a/%2e%2e/b.iso', 'file:///a%00.iso'],
    ...['file:///srv/a b.iso', 'file:///a\r\n.iso', 'https://files.example/a b.iso', 'https://files.example/a\n.iso'],
    ...['file:///%zz.iso', 'file:///a.iso?b', '/srv/a.iso', '']
  ]) {
    t.equal(parseImage(text), undefined, text)
  }
})

t.test('a server may send to a place on it, or to another server, over HTTPS alone', async (t) => {
  const from = { origin: 'https://files.example:8443', path: '/a/b.iso?c=/d' }
  for (const [location, origin, path] of [
    ['https://other.example/x.iso?y#z', 'https://other.example', '/x.iso?y'],
    ['//other.example/x.iso', 'https://other.example', '/x.iso'],
    ['/x/y.iso', from.origin, '/x/y.iso'],
    ['y.iso', from.origin, '/a/y.iso'],
    ['../y.iso', from.origin, '/y.iso']
  ] as const) {
    t.strictSame(redirection(from, location), { origin, path }, location)
  }
  for (const location of [
    'http://other.example/x.iso',
    'file:///etc/passwd',
    'https://ann:secret@other.example/x',
    '//'
  ])
    t.equal(redirection(from, location), undefined, location)
})

t.test('without configured hosts all are allowed, otherwise only these', async (t) => {
  const from = (uri: string, hosts: string) => allowsImage(parseImage(uri)!, { hosts, directory: '' })
  t.ok(from('https://files.example/a.iso', ''))
  t.ok(from('https://Files.Example/a.iso', 'other.example  files.example'))
  t.ok(from('https://[::1]:8443/a.iso', '[::1]:8443'))
  t.notOk(from('https://files.example:8443/a.iso', 'files.example'))
  t.notOk(from('https://files.example.org/a.iso', 'files.example'))
})

t.test('files are allowed only below the configured directory', async (t) => {
  const from = (uri: string, directory: string) => allowsImage(parseImage(uri)!, { hosts: '', directory })
  t.ok(from('file:///srv/iso/a/b.iso', '/srv/iso'))
  t.ok(from('file:///srv/iso/a.iso', '/srv/iso/'))
  t.notOk(from('file:///srv/iso2/a.iso', '/srv/iso'))
  t.notOk(from('file:///srv/iso', '/srv/iso'))
  t.notOk(from('file:///srv/iso/a.iso', ''))
})
