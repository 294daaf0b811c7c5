/** Node's child_process, as far as the service uses it, over `runtime/embedded/local`. */
import local from 'minnow:local'
import system from 'minnow:system'
import { EventEmitter } from './events.ts'

interface Options {
  /** Milliseconds; 0 means no limit. */
  timeout?: number
  /** Bytes of each stream. */
  maxBuffer?: number
}

/** Node's ExecException, as far as it is looked at. */
export interface ExecException extends Error {
  code?: number | string | null
  killed?: boolean
  signal?: string | undefined
}

type Callback = (error: ExecException | null, stdout: string, stderr: string) => void

const signals: Readonly<Record<number, string>> = { 6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV', 15: 'SIGTERM' }

/** Node's execFile: output as text. A program that takes too long or writes too much is sent SIGTERM. */
export function execFile(file: string, args: readonly string[], options: Options, callback: Callback): void {
  const { timeout = 0, maxBuffer = 1024 * 1024 } = options
  const words = [file, ...args]
  const result = local.run(words, timeout, maxBuffer, (status, signal, late, longWinded, output, errors) => {
    const decoder = new TextDecoder()
    const [stdout, stderr] = [decoder.decode(output), decoder.decode(errors)]
    if (longWinded) {
      const code = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
      callback(Object.assign(new RangeError('maxBuffer length exceeded'), { code }), stdout, stderr)
    } else if (status === 0 && signal === 0) callback(null, stdout, stderr)
    else {
      const message = `Command failed: ${words.join(' ')}\n${stderr}`
      const code = signal === 0 ? status : null
      callback(Object.assign(new Error(message), { code, killed: late, signal: signals[signal] }), stdout, stderr)
    }
  })
  if (result < 0) queueMicrotask(() => callback(notStarted(file, result), '', ''))
}

function notStarted(file: string, errno: number) {
  const { code } = system.describeError(errno)
  return Object.assign(new Error(`spawn ${file} ${code}`), { errno, code, syscall: `spawn ${file}` })
}

/** Node's ChildProcess: emits `exit` with a status or a signal, or `error` when it was not started. */
class ChildProcess extends EventEmitter {
  #pid = 0

  constructor(file: string, args: readonly string[]) {
    super()
    const result = local.run([file, ...args], 0, 0, (status, signal) => {
      this.#pid = 0
      this.emit('exit', signal === 0 ? status : null, signal === 0 ? null : (signals[signal] ?? `signal ${signal}`))
    })
    if (result > 0) this.#pid = result
    else queueMicrotask(() => this.emit('error', notStarted(file, result)))
  }

  /** Sends SIGTERM. */
  kill(): boolean {
    return this.#pid !== 0 && local.end(this.#pid) === 0
  }
}

/** Node's spawn for a program that has the output of this process, and no input. */
export function spawn(file: string, args: readonly string[]): ChildProcess {
  return new ChildProcess(file, args)
}
