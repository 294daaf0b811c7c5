/** Node's child_process.execFile, as far as the service uses it, over `runtime/embedded/local`. */
import local from 'minnow:local'
import system from 'minnow:system'

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
  const failed = local.run(words, timeout, maxBuffer, (status, signal, late, longWinded, output, errors) => {
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
  if (failed === 0) return
  const { code } = system.describeError(failed)
  const error = Object.assign(new Error(`spawn ${file} ${code}`), { errno: failed, code, syscall: `spawn ${file}` })
  queueMicrotask(() => callback(error, '', ''))
}
