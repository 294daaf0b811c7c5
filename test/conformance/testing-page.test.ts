// own process: it starts what was built
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { run } from '#test/clients/run.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'

const page = readFileSync('docs/testing.md', 'utf8')

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const packed = pack()

/** The argument of `npm install`: the file that `npm pack` makes of the build. */
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

/** The folder of a user, with the package and the files of a section, named by their first lines. */
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

const python = '/usr/bin/python3'
const modules = ['pytest', 'setuptools', 'wheel'].filter(
  (name) => spawnSync(python, ['-c', `import ${name}`]).status !== 0
)
const packages = modules.map((name) => `python3-${name}`).join(' ')
const lacking = modules.length > 0 ? `${packages}: not here; install ${packages}` : undefined

needing('the plugin of pytest is a package, with which the page’s tests pass', lacking, async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const built = directory()
  cpSync('deploy/pytest', join(built, 'source'), { recursive: true })
  const build = 'import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])'
  const wheel = await run('env', '-C', join(built, 'source'), python, '-c', build, built)
  t.equal(wheel.status, 0, wheel.stderr)
  const site = join(built, 'site')
  const file = join(built, `minnow_pytest-${version}-py3-none-any.whl`)
  t.equal((await run(python, '-m', 'zipfile', '-e', file, site)).status, 0)
  const tests = folder('python')
  const pytest = (minnow: string, path: string) =>
    run('env', `PYTHONPATH=${site}`, python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--minnow=${minnow}`, path)

  for (const { name, missing, command } of hosts.filter(({ slowness }) => slowness === 1))
    needing(
      `on ${name}`,
      missing,
      async (t) => {
        const { status, stdout } = await pytest(command.map((each) => resolve(each)).join(' '), tests)
        t.equal(status, 0, stdout)
        t.match(stdout, /2 passed/)
      },
      t
    )

  t.test('what is wrong with a fleet is the error of its test', async (t) => {
    const wrong = join(directory(), 'test_wrong.py')
    writeFileSync(
      wrong,
      `def test_wrong(minnow_fleet):\n    minnow_fleet({'groups': [{'count': 2, 'board': 'none'}]})\n`
    )
    const { status, stdout } = await pytest(`${process.execPath} ${resolve('dist/minnow.mjs')}`, wrong)
    t.equal(status, 1)
    t.match(stdout, /RuntimeError: minnow: \S+fleet\.json:\d+: groups\.0\.board: /)
    t.match((await pytest('false', wrong)).stdout, /RuntimeError: false ended with status 1/)
  })
})
