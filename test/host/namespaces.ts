import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { Test } from 'tap'
import { isInstalled } from './hosts.ts'

/** The prerequisite of namespaces that this machine lacks; undefined if it lacks nothing. */
export const lackingNamespaces = !isInstalled('ip')
  ? 'iproute2'
  : spawnSync('unshare', ['-rn', 'nsenter', '--version']).status === 0
    ? undefined
    : 'util-linux, and namespaces for users without privilege'

/** A machine of the two. */
type Side = 'board' | 'server'

/** Two machines with a cable between their devices `eth0` and `peer`; `plug` puts in one more. All of it is gone when the test ends. */
export async function namespaces(t: Test) {
  const machine = async (...command: string[]) => {
    const [file = '', ...args] = command
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    t.teardown(() => child.kill('SIGKILL'))
    // The echo shows that the namespaces exist.
    child.stdin.write('\n')
    await new Promise((resolve) => child.stdout.once('data', resolve))
    return String(child.pid)
  }
  const server = await machine('unshare', '-Urn', 'cat')
  const users = ['nsenter', '-t', server, '-U', '--preserve-credentials']
  const mounted = 'mount -t sysfs sysfs /sys && exec cat'
  const board = await machine(...users, 'unshare', '-num', 'sh', '-c', mounted)
  const within = {
    server: [...users, '-n'],
    board: ['nsenter', '-t', board, '-U', '-n', '-m', '-u', '--preserve-credentials', `--wd=${process.cwd()}`]
  }
  const enter = (side: Side, ...command: string[]) => {
    const [file = '', ...args] = [...within[side], ...command]
    const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
    return stdout
  }
  const start = (side: Side, command: readonly string[]): ChildProcess => {
    const [file = '', ...args] = [...within[side], ...command]
    const child = spawn(file, args)
    t.teardown(() => child.kill('SIGKILL'))
    return child
  }
  const plug = (ofServer: string, ofBoard: string) => {
    enter('server', 'ip', 'link', 'add', ofServer, 'type', 'veth', 'peer', 'name', ofBoard, 'netns', board)
    enter('server', 'ip', 'link', 'set', ofServer, 'up')
  }
  plug('peer', 'eth0')
  enter('server', 'sh', '-c', 'echo 1 > /proc/sys/net/ipv6/conf/all/forwarding')
  return { enter, start, plug, within }
}
