// own process: it starts what was built
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { run } from '#test/clients/run.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'

const page = readFileSync('docs/testing.md', 'utf8')

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const packed = pack()

/** What `npm install` is given: the file that `npm pack` makes of what is built. */
function pack(): string {
  const path = directory()
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', path]
  return join(path, execFileSync('npm', args, { encoding: 'utf8' }).trim())
}

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'minnow-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A folder of somebody else's with the package, and the files of a section, named by their first lines. */
function folder(language: string): string {
  const path = directory()
  for (const [, text = ''] of page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g')))
    writeFileSync(join(path, /^(?:\/\/|#) (\S+)/.exec(text)?.[1] ?? 'unnamed'), text)
  mkdirSync(join(path, 'node_modules/minnow'), { recursive: true })
  execFileSync('tar', ['-xzf', packed, '-C', join(path, 'node_modules/minnow'), '--strip-components=1'])
  for (const name of Object.keys(dependencies))
    symlinkSync(resolve('node_modules', name), join(path, 'node_modules', name))
  return path
}

t.test('the page’s test in Node.js passes outside of the package', async (t) => {
  const { status, stdout } = await run(process.execPath, '--test', join(folder('js'), 'power.test.mjs'))
  t.equal(status, 0, stdout)
  t.match(stdout, /pass 1\n/)
})

t.test('the package works as its page says', async (t) => {
  const path = folder('js')
  writeFileSync(
    join(path, 'promises.mjs'),
    `import { controller } from 'minnow'
     import { Agent, request } from 'undici'
     const bmc = await controller({ password: 'Tin-Whistle-7', faults: [{ path: '/redfish/v1/Chassis', status: 503 }] })
     const dispatcher = new Agent({ connect: { ca: bmc.certificate } })
     const ask = async (path, headers = { authorization: bmc.authorization }) => {
       const { statusCode, headers: given, body } = await request(bmc.url + path, { dispatcher, headers })
       await body.dump()
       return statusCode
     }
     const login = async () => {
       const body = JSON.stringify({ UserName: bmc.user, Password: bmc.password })
       const headers = { 'content-type': 'application/json' }
       const answer = await request(bmc.url + 'SessionService/Sessions/', { dispatcher, method: 'POST', headers, body })
       await answer.body.dump()
       return { 'x-auth-token': answer.headers['x-auth-token'] }
     }
     const token = await login()
     const said = [await ask('Systems/1/', token), await ask('Chassis/')]
     bmc.clock.advance(3600)
     bmc.faults([])
     said.push(await ask('Systems/1/', token), await ask('Chassis/'), await bmc.power(), await bmc.power('Off'))
     said.push((await bmc.event(/ServerPoweredOff$/)) === bmc.events.find(({ MessageId }) => /Off$/.test(MessageId)))
     for (const wrong of [() => bmc.faults([{ status: 200 }]), () => controller({ board: 'none' })])
       said.push(await (async () => wrong())().then(() => 'taken', () => 'refused'))
     await dispatcher.close()
     await bmc.close()
     console.log(JSON.stringify(said))`
  )
  const { status, stdout, stderr } = await run(process.execPath, join(path, 'promises.mjs'))
  t.equal(status, 0, stderr)
  t.strictSame(JSON.parse(stdout), [200, 503, 401, 200, 'On', 'Off', true, 'refused', 'refused'])
})

t.test('its types are those of a TypeScript project', async (t) => {
  const path = folder('js')
  const text = `import { controller, type RedfishEvent } from 'minnow'
    const bmc = await controller({ board: 'sim' })
    const state: string = await bmc.power('On')
    const all: readonly RedfishEvent[] = bmc.events
    // @ts-expect-error there is no such state
    await bmc.power('Ajar')
    export default [state, all]`
  writeFileSync(join(path, 'typed.mts'), text)
  const options = [
    '--strict',
    '--noEmit',
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--lib',
    'esnext',
    '--skipLibCheck'
  ]
  const { status, stdout } = await run(
    process.execPath,
    'node_modules/typescript/bin/tsc',
    ...options,
    join(path, 'typed.mts')
  )
  t.equal(status, 0, stdout)
})

const binary = hosts.find(({ name }) => name === 'x86-64')!
const pytest = isInstalled('pytest') ? undefined : 'pytest: not here; install python3-pytest'
needing('the page’s fixture works with pytest and the binary', binary.missing ?? pytest, async (t) => {
  const path = folder('python')
  const args = [`MINNOW=${resolve(binary.command[0])}`, 'pytest', '-q', '-p', 'no:cacheprovider', path]
  const { status, stdout } = await run('env', ...args)
  t.equal(status, 0, stdout)
  t.match(stdout, /2 passed/)
})
