// own process: it starts what was built
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '#test/clients/run.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { Process } from '#test/host/process.ts'
import { directory, password } from '#test/host/server.ts'
import { writeImage } from '../../deploy/oci/oci.mjs'

const umoci = isInstalled('umoci') ? undefined : 'umoci: not here; install umoci'
needing('umoci unpacks the image of each processor', umoci, async (t) => {
  const home = directory(t)
  const binary = join(home, 'binary')
  writeFileSync(binary, 'not really a program')
  writeImage(join(home, 'oci'), { amd64: binary, arm64: binary, arm: binary }, '1.2.3')
  for (const architecture of ['amd64', 'arm64', 'arm']) {
    const bundle = join(home, architecture)
    const image = `${home}/oci:1.2.3-${architecture}`
    const { status, stdout, stderr } = await run('umoci', 'unpack', '--rootless', '--image', image, bundle)
    t.equal(status, 0, stdout + stderr)
    t.strictSame(readFileSync(join(bundle, 'rootfs/minnow')), readFileSync(binary))
    const { process } = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'))
    t.match(process, { args: ['/minnow'], cwd: '/data', user: { uid: 65_532 } })
  }
})

const skopeo = isInstalled('skopeo') ? undefined : 'skopeo: not here; install skopeo'
const [, host, armv7] = hosts
needing('skopeo takes the image', host!.missing ?? armv7!.missing ?? skopeo, async (t) => {
  const home = directory(t)
  const layout = join(home, 'oci')
  writeImage(layout, { amd64: 'dist/minnow-x86_64', arm: 'dist/minnow-armv7' }, '1.2.3')
  const copy = async (architecture: string) => {
    const to = join(home, architecture)
    const platform = ['--override-os', 'linux', '--override-arch', architecture]
    const { status, stderr } = await run(
      'skopeo',
      '--insecure-policy',
      ...platform,
      ...['copy', `oci:${layout}:1.2.3`, `dir:${to}`]
    )
    t.equal(status, 0, stderr)
    const blob = ({ digest }: { digest: string }) => join(to, digest.slice('sha256:'.length))
    const { config, layers } = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'))
    return { layers: layers.map(blob) as string[], config: JSON.parse(readFileSync(blob(config), 'utf8')) }
  }

  t.test('for each processor', async (t) => {
    t.match(await copy('arm'), { config: { os: 'linux', architecture: 'arm', variant: 'v7' } })
  })

  t.test('and its program serves in an otherwise empty image', async (t) => {
    const { config, layers } = await copy('amd64')
    const root = join(home, 'root')
    mkdirSync(root)
    for (const layer of layers) execFileSync('tar', ['--no-same-owner', '-xzf', layer, '-C', root])
    const { Entrypoint, WorkingDir, Env } = config.config
    const command = ['unshare', '-r', `--root=${root}`, `--wd=${WorkingDir}`, ...Entrypoint] as const
    const environment = Object.fromEntries(Env.map((each: string) => each.split('=')))
    const alone = new Process({ ...host!, command }, ['--address', '127.0.0.1', '--port', '0'], {
      ...environment,
      MINNOW_ADMIN_PASSWORD: password
    })
    t.teardown(() => alone.kill('SIGKILL'))
    const url = (await alone.ready()).split(' ').at(-1)!
    const { stdout } = await run('curl', '-sk', '-u', `admin:${password}`, `${url}Systems/1/`)
    t.equal(JSON.parse(stdout).PowerState, 'On')
    t.equal((await alone.kill('SIGTERM')).status, 0)
  })
})
