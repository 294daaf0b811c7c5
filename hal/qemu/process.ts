import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import process from 'node:process'
import { HalError } from '../errors.ts'
import type { QemuFiles } from './command-line.ts'

/** Milliseconds between checks for the end of a process that was sent a signal. */
export const lookEvery = 20

/** Settles when the program is in the background. @throws {HalError} `EIO` with what it says when it does not start */
export function runProcess(program: string, args: readonly string[], timeout: number): Promise<void> {
  return new Promise<void>((done, reject) => {
    execFile(program, [...args], { timeout, maxBuffer: 65_536 }, (error, _, complaints) => {
      const complaint = String(complaints).trim().split('\n').at(-1)
      if (error === null) done()
      else {
        const reason = error.killed ? `it takes longer than ${timeout} ms` : complaint || error.message.split('\n')[0]
        reject(new HalError('EIO', `qemu: the machine does not start: ${reason}`))
      }
    })
  })
}

/** The process that the file of its number names, if it still is the one with this socket. */
export function processOf({ pid: file, socket }: Pick<QemuFiles, 'pid' | 'socket'>): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return command.includes(socket) ? pid : undefined
  } catch {
    return undefined
  }
}

/** Whether there is a program of this name, which is looked for in `PATH` if it has no `/`. */
export function isProgram(name: string): boolean {
  const folders = name.includes('/') ? [''] : (process.env.PATH ?? '').split(':').map((folder) => `${folder}/`)
  return folders.some((folder) => {
    try {
      accessSync(`${folder}${name}`, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Kills a process, if it is still there. @throws the system's error */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
