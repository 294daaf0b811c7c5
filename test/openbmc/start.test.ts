// own process: it starts message buses and services on them
// needs: dbus-daemon, busctl, python3-dbus, python3-gi

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { Agent, request } from 'undici'
import { basic } from '#test/host/server.ts'

t.setTimeout(900_000)

t.test(
  'npm start -- --board openbmc-sim starts a bus, the daemons and the service, and ends all of them',
  async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'minnow-'))
    t.teardown(() => rmSync(data, { recursive: true, force: true }))
    const args = ['--board', 'openbmc-sim', '--port', '0', '--address', '127.0.0.1', '--data', data]
    const environment = { ...process.env, MINNOW_ADMIN_PASSWORD: 'Tin-Whistle-7' }
    const service = spawn(process.execPath, ['--import', './test/openbmc/start.mjs', 'dist/minnow.mjs', ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore']
    })
    t.teardown(() => service.kill('SIGKILL'))
    const ended = once(service, 'exit')
    let [bus, uri] = ['', '']
    for await (const line of createInterface({ input: service.stdout })) {
      bus = /unix:path=\S+/.exec(line)?.[0] ?? bus
      uri = /https:\S+/.exec(line)?.[0] ?? uri
      if (uri !== '') break
    }
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
    t.teardown(() => dispatcher.close())
    const { body } = await request(`${uri}Chassis/Rack_Server/`, {
      dispatcher,
      headers: basic('admin', 'Tin-Whistle-7')
    })
    t.match(await body.json(), { Model: 'RS-2000' })
    service.kill('SIGTERM')
    t.same(await ended, [0, null])
    t.not(spawnSync('busctl', [`--address=${bus}`, 'list'], { encoding: 'utf8' }).status, 0, 'the bus is gone')
  }
)
