import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Call } from './disk.ts'
import type { Host } from './hosts.ts'

/** A step of a service: a file system call, or the start of a request of the test or of its answer. */
export type Recorded = Call | Mark<'asked'> | Mark<'answered'>

interface Mark<T> {
  readonly call: T
  /** The number of the connection. */
  readonly client: number
}

const calls = {
  files: 'open,openat,creat,close,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,ftruncate',
  names: 'rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat',
  sockets: 'accept,accept4,read,readv,recvfrom,recvmsg,sendto,sendmsg'
}

/** Records the system calls of a host's programs. */
export class Recorder {
  readonly #host: Host
  readonly #folder: string
  /** The traces, and how many requests were made to each program in turn after the first one. */
  readonly #runs: { readonly file: string; requests: number }[] = []

  constructor(host: Host, folder: string) {
    this.#host = host
    this.#folder = folder
  }

  /** The host, with its next program traced. The tracer is no parent of it: signals reach the program itself. */
  next(): Host {
    const file = join(this.#folder, `trace-${this.#runs.length}`)
    this.#runs.push({ file, requests: 0 })
    const options = ['-D', '-f', '-qq', '-xx', '-s', '16777216', '--seccomp-bpf', '-e', 'signal=none']
    const traced = ['-e', `trace=${Object.values(calls).join(',')}`, '-o', file, '--']
    return { ...this.#host, command: ['strace', ...options, ...traced, ...this.#host.command] }
  }

  /** To be called before each request after the first one of a program, whose connection it is to use. */
  asks(): void {
    this.#runs.at(-1)!.requests += 1
  }

  /** The steps of all programs, in order; the programs must have ended. */
  *recorded(): Generator<Recorded> {
    for (const { file, requests } of this.#runs) {
      const trace = [...traced(readFileSync(file, 'latin1'))]
      // A service that looks whether it is well is a client too.
      const answered = trace.flatMap((each) => (each.call === 'answered' ? [each.client] : []))
      const answers = (client: number) => answered.filter((each) => each === client).length
      const client = answered.reduce((most, each) => (answers(each) > answers(most) ? each : most))
      // The first ones are the handshake, and the request before which nothing counts; a client may take leave last.
      let done = requests - answers(client)
      for (const each of trace) {
        const counts = 'client' in each && each.client === client && done >= 0 && done < requests
        if (counts || !('client' in each)) yield each
        if (each.call === 'answered' && each.client === client) done += 1
      }
      yield { call: 'end' }
    }
  }
}

/** The steps in a trace of strace(1). All reads from a client before the next send are one request. */
function* traced(text: string): Generator<Recorded> {
  const begun = new Map<string, string>()
  const clients = new Map<number, { readonly client: number; isAsking: boolean }>()
  let accepted = 0
  for (const line of text.split('\n')) {
    const [, thread = '', what = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const unfinished = /^(.*) <unfinished \.\.\.>(?:\) += \?)?$/.exec(what)
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(what)
    if (unfinished) begun.set(thread, unfinished[1]!)
    const whole = resumed ? (begun.get(thread) ?? '') + resumed[1] : what
    const [, name = '', args = '', result = ''] =
      /^(\w+)\((.*?)(?:\) += (-?\d+|\?).*| <unfinished \.\.\.>.*)$/.exec(whole) ?? []
    const fd = Number.parseInt(args, 10)
    const client = clients.get(fd)
    if (!resumed && isSync(name)) yield { call: 'syncing', fd }
    if (!resumed && client?.isAsking && /^(write|send)/.test(name)) {
      client.isAsking = false
      yield { call: 'answered', client: client.client }
    }
    // Another thread may get the descriptor before the call returns.
    if (!resumed && name === 'close' && !clients.delete(fd)) yield { call: 'close', fd }
    if (name === 'close' || !/^\d+$/.test(result)) continue
    if (/^accept/.test(name)) {
      accepted += 1
      clients.set(Number(result), { client: accepted, isAsking: false })
    } else if (client === undefined) yield* callOf(name, args, Number(result))
    else if (/^(read|recv)/.test(name) && Number(result) > 0 && !client.isAsking) {
      client.isAsking = true
      yield { call: 'asked', client: client.client }
    }
  }
}

const isSync = (name: string) => /^f(data)?sync$/.test(name)

function* callOf(name: string, args: string, result: number): Generator<Call> {
  const paths = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => bytesOf(hex ?? ''))
  const [path = '', to = ''] = paths.map((bytes) => bytes.toString())
  const fd = Number.parseInt(args, 10)
  const numbers = args.split(', ')
  if (/^(open|openat|creat)$/.test(name)) {
    const flags = new Set(name === 'creat' ? ['O_CREAT', 'O_TRUNC'] : args.match(/O_\w+/g))
    yield { call: 'open', fd: result, path, flags }
  } else if (isSync(name)) yield { call: 'sync', fd }
  else if (/^p?write/.test(name)) {
    const bytes = Buffer.concat(paths).subarray(0, result)
    yield { call: 'write', fd, at: name.startsWith('p') ? Number(numbers.at(-1)) : undefined, bytes }
  } else if (name === 'ftruncate') yield { call: 'truncate', fd, size: Number(numbers.at(-1)) }
  else if (name.startsWith('rename')) yield { call: 'rename', from: path, to }
  else if (name.startsWith('mkdir')) yield { call: 'mkdir', path }
  else if (name === 'rmdir' || args.includes('AT_REMOVEDIR')) yield { call: 'rmdir', path }
  else if (name.startsWith('unlink')) yield { call: 'unlink', path }
  else if (!/^(read|recv|send)/.test(name)) throw new Error(`no model of ${name}`)
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex')
}
