import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { directory, password, start } from '#test/host/server.ts'
import { run } from './run.ts'

const curl = isInstalled('curl') ? undefined : 'curl: not here; install curl'

t.setTimeout(900_000)
for (const host of hosts.slice(0, 2)) {
  needing(`curl on ${host.name}`, host.missing ?? curl, async (t) => {
    const server = await start(t, host)
    const url = `https://127.0.0.1:${server.port}/redfish/v1/`
    const ask = (...args: string[]) => run('curl', '--silent', '--show-error', '--insecure', ...args)
    const user = ['--user', `admin:${password}`]

    for (const [version, flags] of [
      ['TLS 1.2', ['--tlsv1.2', '--tls-max', '1.2']],
      ['TLS 1.3', ['--tlsv1.3']]
    ] as const) {
      t.test(`reads over ${version}`, async (t) => {
        const { status, stdout, stderr } = await ask(...flags, ...user, `${url}Chassis/1/`)
        t.equal(status, 0, stderr)
        t.equal(JSON.parse(stdout)['@odata.id'], '/redfish/v1/Chassis/1/')
      })
    }

    t.test('follows a redirect with its credentials', async (t) => {
      const { stdout } = await ask('--location', ...user, `${url}Chassis/1`)
      t.equal(JSON.parse(stdout).Id, '1')
    })

    t.test('uses one connection for one request after the other', async (t) => {
      const urls = ['Chassis/1/', 'Systems/1/', 'Managers/1/'].flatMap((path) => ['--output', '-', `${url}${path}`])
      const { stdout } = await ask(...user, '--write-out', '\\n%{num_connects} %{http_code}\\n', ...urls)
      t.same(stdout.match(/^\d \d+$/gm), ['1 200', '0 200', '0 200'])
    })

    t.test('logs in, changes, and logs out with the token', async (t) => {
      const login = await ask(
        ...['--include', '--json', JSON.stringify({ UserName: 'admin', Password: password })],
        `${url}SessionService/Sessions`
      )
      const [, token = ''] = /^x-auth-token: (\w+)/im.exec(login.stdout) ?? []
      const [, location = ''] = /^location: (\S+)/im.exec(login.stdout) ?? []
      const carrying = ['--header', `X-Auth-Token: ${token}`, '--write-out', '\\n%{http_code}']
      const patch = ['--request', 'PATCH', '--json', '{"LocationIndicatorActive":true}']
      t.match((await ask(...carrying, ...patch, `${url}Chassis/1/`)).stdout, /\n200$/)
      const logout = await ask(...carrying, '--request', 'DELETE', new URL(location, url).href)
      t.match(logout.stdout, /\n200$/)
      t.match((await ask(...carrying, `${url}Chassis/1/`)).stdout, /\n401$/)
    })

    t.test('gets 413 before it sends a body that is too large', async (t) => {
      const file = join(directory(t), 'large.json')
      writeFileSync(file, JSON.stringify({ AssetTag: 'x'.repeat(2 ** 21) }))
      const flags = ['--request', 'PATCH', '--header', 'Content-Type: application/json', '--data-binary', `@${file}`]
      const { stdout } = await ask(...user, ...flags, '--write-out', '\\n%{http_code}', `${url}Systems/1/`)
      t.match(stdout, /\n413$/)
    })
  })
}
