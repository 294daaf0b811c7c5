// own process: it compiles a program and starts it

import { mkdtempSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Passwords } from '#hal/openbmc/passwords.ts'
import { needing } from '#test/host/every-host.ts'
import { missingPam, pamSocket, pamWith } from '#test/openbmc/pam.ts'

t.setTimeout(900_000)

needing('passwords are those of PAM', missingPam(), async (t) => {
  const { command } = pamWith(t, ['ann:Tin-Whistle-7:valid', 'ben:Oak-Table-6:expired', 'cleo:Green-Door-4:broken'])
  const passwords = new Passwords('users', await pamSocket(t, command))
  t.equal(await passwords.verify('ann', 'Tin-Whistle-7', '192.0.2.7'), 'ok')
  t.equal(await passwords.verify('ann', 'Tin-Whistle-8', '192.0.2.7'), 'denied')
  t.equal(await passwords.verify('ben', 'Oak-Table-6', ''), 'expired')
  await t.rejects(passwords.verify('cleo', 'Green-Door-4', ''), {
    code: 'EIO',
    message: 'users: PAM cannot check passwords'
  })
  await passwords.change('ben', 'Long-Street-8')
  t.equal(await passwords.verify('ben', 'Long-Street-8', ''), 'ok')
  for (const [user, password] of [
    ['ben', 'short'],
    ['eve', 'Long-Street-8']
  ] as const)
    await t.rejects(passwords.change(user, password), { code: 'EINVAL', message: 'users: PAM refuses the password' })
  for (const password of ['x'.repeat(3000), 'Tin\0Whistle'])
    await t.rejects(passwords.verify('ann', password, ''), { code: 'EINVAL' })
  const all = await Promise.all(Array.from({ length: 20 }, () => passwords.verify('ann', 'Tin-Whistle-7', '')))
  t.same(new Set(all), new Set(['ok']))
})

/** A helper that does something else. */
async function other(t: Test, answer: (socket: Socket) => void): Promise<Passwords> {
  const path = join(mkdtempSync(join(tmpdir(), 'pam-')), 'socket')
  const server = createServer(answer).listen(path)
  t.teardown(() => server.close())
  return new Passwords('users', path, 200)
}

t.test('a helper that is missing, silent, ends or talks too much is a failure', async (t) => {
  const verify = (passwords: Passwords) => passwords.verify('ann', 'Tin-Whistle-7', '')
  await t.rejects(verify(new Passwords('users', join(t.testdir({}), 'none'))), { code: 'ENODEV', message: /ENOENT/ })
  const held: Socket[] = []
  await t.rejects(verify(await other(t, (socket) => held.push(socket))), {
    code: 'ETIMEDOUT',
    message: /no answer in 200 ms$/
  })
  for (const socket of held) socket.destroy()
  await t.rejects(verify(await other(t, (socket) => socket.end())), { code: 'EIO' })
  await t.rejects(verify(await other(t, (socket) => socket.end('yes'))), { code: 'EIO' })
  await t.rejects(verify(await other(t, (socket) => socket.end('x'.repeat(1000)))), {
    code: 'EIO',
    message: /the answer is too long$/
  })
})
