// own process: it installs what was built
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { directory } from '#test/host/server.ts'

t.setTimeout(900_000)
const [, x86] = hosts

/** Debian's packages of the binaries that are built, by architecture. */
function packages(t: Test, version: string, ...archs: string[]): string[] {
  const out = directory(t)
  const script = ['deploy/debian/deb.mjs', '--out', out, '--version', version, ...archs]
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { encoding: 'utf8' })
  t.equal(status, 0, stderr)
  return stdout.trim().split('\n')
}

needing('a package', x86!.missing, async (t) => {
  t.test('is the same byte by byte for the same binary', async (t) => {
    const [first = '', second = ''] = [...packages(t, '1.0', 'x86_64'), ...packages(t, '1.0', 'x86_64')]
    t.ok(readFileSync(first).equals(readFileSync(second)))
  })
})

needing('lintian', isInstalled('lintian') ? x86!.missing : 'install lintian', async (t) => {
  t.test('finds no fault in the package of any architecture', async (t) => {
    for (const file of packages(t, '1.0')) {
      const { status, stdout } = spawnSync('lintian', ['--allow-root', '--fail-on', 'error,warning', file], {
        encoding: 'utf8'
      })
      t.equal(stdout, '', file)
      t.equal(status, 0, file)
    }
  })
})

const script = (upper: string, merged: string) => `
  mount -t tmpfs none '${upper}'
  mkdir '${upper}/up' '${upper}/work'
  mount -t overlay none -o 'lowerdir=/,upperdir=${upper}/up,workdir=${upper}/work' '${merged}'
  mount -t proc none '${merged}/proc'
  mount --rbind /dev '${merged}/dev'
  mount -t tmpfs none '${merged}/run'
  echo ready
  exec cat`

const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0 ? x86!.missing : 'run as root'
needing('a root file system', mayMount, async (t) => {
  const [upper, merged] = [directory(t), directory(t)]
  const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', script(upper, merged)])
  t.teardown(async () => {
    holder.kill()
    await once(holder, 'close')
  })
  await once(holder.stdout, 'data')
  const enter = ['-t', String(holder.pid), '-m', 'chroot', merged]
  const sh = (command: string) => {
    const { status, stdout, stderr } = spawnSync('nsenter', [...enter, 'sh', '-c', command], { encoding: 'utf8' })
    return { status, stdout: stdout.trim(), stderr: stderr.trim() }
  }
  const works = (t: Test, command: string): string => {
    const { status, stdout, stderr } = sh(command)
    t.equal(status, 0, `${command}: ${stderr}`)
    return stdout
  }
  const dpkg = (t: Test, ...words: string[]) => works(t, `DEBIAN_FRONTEND=noninteractive dpkg ${words.join(' ')}`)
  const install = (t: Test, version: string) => {
    const [file = ''] = packages(t, version, 'x86_64')
    const copied = spawnSync('nsenter', [...enter, 'sh', '-c', 'cat >/tmp/minnow.deb'], { input: readFileSync(file) })
    t.equal(copied.status, 0)
    dpkg(t, '--force-confold', '-i', '/tmp/minnow.deb')
  }

  t.test('takes a package, whose service runs as a user of its own', async (t) => {
    install(t, '1.0')
    t.equal(works(t, 'stat -c "%a %U" /etc/minnow/password'), '600 root')
    t.match(works(t, 'cat /etc/minnow/password'), /^[0-9a-f]{24}$/)
    t.ok(Number(works(t, 'id -u minnow')) < 1000)
    t.match(works(t, 'minnow --licenses'), /GNU C Library|libc6/)
    works(t, 'test -L /etc/systemd/system/multi-user.target.wants/minnow.service')
    const verified = sh('systemd-analyze verify --man=no minnow.service')
    t.same(
      verified.stderr.split('\n').filter((line) => line.includes('minnow')),
      []
    )
    works(
      t,
      'install -d -o minnow -m 700 /var/lib/minnow && cp /etc/minnow/password /run/password && chown minnow /run/password'
    )
    const command =
      'exec setpriv --reuid minnow --clear-groups minnow --config /etc/minnow/minnow.json --port 0 --data /var/lib/minnow'
    const service: ChildProcess = spawn('nsenter', [...enter, 'sh', '-c', command], {
      env: { ...process.env, MINNOW_ADMIN_PASSWORD_FILE: '/run/password' },
      stdio: ['ignore', 'pipe', 'inherit']
    })
    const [line] = await once(service.stdout!, 'data')
    t.match(String(line), /listening on https/)
    service.kill('SIGTERM')
    t.same(await once(service, 'close'), [0, null])
  })

  t.test('takes a newer one, and keeps password, configuration and state', async (t) => {
    const before = works(t, 'cat /etc/minnow/password')
    works(t, `echo '{ "port": 4443 }' >/etc/minnow/minnow.json`)
    install(t, '2.0')
    t.equal(works(t, "dpkg-query -W -f '${Version}' minnow"), '2.0')
    t.equal(works(t, 'cat /etc/minnow/password'), before)
    t.match(works(t, 'cat /etc/minnow/minnow.json'), /4443/)
    works(t, 'test -e /var/lib/minnow/store')
  })

  t.test('removes it, and its data when it is purged', async (t) => {
    dpkg(t, '-r', 'minnow')
    t.equal(sh('command -v minnow').stdout, '')
    works(t, 'test -e /var/lib/minnow/store && test -e /etc/minnow/minnow.json')
    dpkg(t, '-P', 'minnow')
    t.same(sh('ls -d /var/lib/minnow /etc/minnow').stdout, '')
    t.equal(sh('find /etc/systemd /var/lib/systemd -name "minnow*"').stdout, '')
  })
})
