import t from 'tap'
import { display } from '#runtime/schema'

t.test('a long text is cut, a secret is not shown', async (t) => {
  t.equal(display('x'.repeat(100), false), `${'x'.repeat(64)}…`)
  t.equal(display('Tin-Whistle-7', true), '******')
  t.equal(display({ UserName: 'ann', Password: 'Tin-Whistle-7' }, false), '{"UserName":"ann","Password":"******"}')
})

t.test('a private key is not shown in any form', async (t) => {
  const key = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA==\n-----END EC PRIVATE KEY-----\n'
  t.equal(display(key, false), '******')
  t.equal(display({ Certificate: [key] }, false), '{"Certificate":["******"]}')
})

t.test('a URI does not show the user and password in it, however broken it is', async (t) => {
  t.equal(display('https://ann:secret@bmc.example/x?a@b', false), 'https://******@bmc.example/x?a@b')
  t.equal(display('https://ann:se cret@@x/', false), 'https://******@x/')
  t.equal(display('https://bmc.example/@', false), 'https://bmc.example/@')
})
