import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { missingPam, pamWith } from './pam.ts'

t.setTimeout(900_000)

const request = (...fields: string[]) => fields.map((each) => `${each}\0`).join('')

needing('a helper asks PAM for the service', missingPam(), async (t) => {
  const { command, users } = pamWith(t, [
    'ann:Tin-Whistle-7:valid',
    'ben:Oak-Table-6:expired',
    'cleo:Green-Door-4:broken',
    'dan:Iron-Bridge-5:from 192.0.2.7'
  ])
  const [program, ...args] = command
  const told = (input: string | Uint8Array) => {
    const { stdout, stderr, status } = spawnSync(program, args, { input, encoding: 'utf8' })
    t.same([stderr, status], ['', 0])
    return stdout
  }

  t.test('it tells what a password is', async (t) => {
    t.equal(told(request('verify', 'ann', 'Tin-Whistle-7', '')), 'ok')
    t.equal(told(request('verify', 'ann', 'tin-whistle-7', '')), 'denied')
    t.equal(told(request('verify', 'ann', '', '')), 'denied')
    t.equal(told(request('verify', 'eve', 'Tin-Whistle-7', '')), 'denied')
    t.equal(told(request('verify', 'ben', 'Oak-Table-6', '')), 'expired')
    t.equal(told(request('verify', 'ben', 'oak', '')), 'denied')
    t.equal(told(request('verify', 'cleo', 'Green-Door-4', '')), 'failed')
    t.equal(told(request('verify', 'dan', 'Iron-Bridge-5', '192.0.2.7')), 'ok')
    t.equal(told(request('verify', 'dan', 'Iron-Bridge-5', '192.0.2.8')), 'denied')
  })

  t.test('it sets a password', async (t) => {
    t.equal(told(request('change', 'ben', 'short', '')), 'refused')
    t.equal(told(request('change', 'ben', 'Long-Street-8', '')), 'ok')
    t.equal(told(request('change', 'eve', 'Long-Street-8', '')), 'denied')
    t.ok(users().includes('ben:Long-Street-8:valid'))
    t.equal(told(request('verify', 'ben', 'Long-Street-8', '')), 'ok')
  })

  t.test('what is no request fails', async (t) => {
    const whole = request('verify', 'ann', 'Tin-Whistle-7', '')
    for (let end = 0; end < whole.length; end += 1) t.equal(told(whole.slice(0, end)), 'failed', `${end} bytes`)
    t.equal(told(`${whole}x`), 'failed')
    t.equal(told(`${whole}\0`), 'failed')
    t.equal(told(request('remove', 'ann', 'Tin-Whistle-7', '')), 'failed')
    t.equal(told(request('verify', 'ann', 'x'.repeat(3000), '')), 'failed')
    t.equal(told(Buffer.alloc(100_000, 'x')), 'failed')
  })

  t.test('a request may come in parts', async (t) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const answer = once(child.stdout, 'data')
    for (const part of request('verify', 'ann', 'Tin-Whistle-7', '')) {
      child.stdin.write(part)
      await new Promise((next) => setTimeout(next, 2))
    }
    t.equal(String((await answer)[0]), 'ok', 'without the end of the input')
  })
})
