import system, { type Failed } from 'minnow:system'

/** Values of fcntl.h that are the same on every Linux the binary is built for. */
const flagBits: Record<string, number> = {
  r: 0o0,
  'r+': 0o2,
  w: 0o1101,
  wx: 0o1301,
  'w+': 0o1102,
  'wx+': 0o1302,
  a: 0o2101,
  ax: 0o2301,
  'a+': 0o2102
}

export const constants = { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4 }

type Path = string
type Encoding = 'utf8' | 'utf-8'
interface WriteOptions {
  mode?: number
  flag?: string
  encoding?: Encoding
}

function failure(error: Failed, call: string, path?: Path, destination?: Path): Error {
  const { code, text } = system.describeError(error)
  const where = (path === undefined ? '' : ` '${path}'`) + (destination === undefined ? '' : ` -> '${destination}'`)
  const fields = { errno: error, code, syscall: call, ...(path !== undefined && { path }) }
  return Object.assign(new Error(`${code}: ${text}, ${call}${where}`), fields)
}

function check<T>(result: T, call: string, path?: Path, destination?: Path): T {
  if (typeof result === 'number' && result < 0) throw failure(result, call, path, destination)
  return result
}

function invalid(code: string, message: string): TypeError {
  return Object.assign(new TypeError(message), { code })
}

function plain(path: Path): Path {
  if (typeof path !== 'string') throw invalid('ERR_INVALID_ARG_TYPE', 'The "path" argument must be of type string.')
  if (!path.includes('\0')) return path
  throw invalid('ERR_INVALID_ARG_VALUE', "The argument 'path' must be a string without null bytes.")
}

/** Runs `use` on an open file and closes it in any case. */
function withFile<T>(path: Path | number, flag: string, mode: number, use: (fd: number) => T): T {
  if (typeof path === 'number') return use(path)
  const fd = openSync(path, flag, mode)
  try {
    return use(fd)
  } finally {
    system.close(fd)
  }
}

export function openSync(path: Path, flag = 'r', mode = 0o666): number {
  const bits = flagBits[flag]
  if (bits === undefined) throw invalid('ERR_INVALID_ARG_VALUE', `The argument 'flags' is invalid. Received '${flag}'`)
  return check(system.open(plain(path), bits, mode), 'open', path)
}

export function closeSync(fd: number): void {
  check(system.close(fd), 'close')
}

export function fsyncSync(fd: number): void {
  check(system.fsync(fd), 'fsync')
}

export function readFileSync(path: Path | number): Uint8Array
export function readFileSync(path: Path | number, options: Encoding | { encoding: Encoding }): string
export function readFileSync(path: Path | number, options?: Encoding | { encoding: Encoding }): string | Uint8Array {
  const encoding = typeof options === 'string' ? options : options?.encoding
  const bytes = withFile(path, 'r', 0, (fd) => check(system.read(fd), 'read')) as Uint8Array
  return encoding === undefined ? bytes : decode(bytes, encoding)
}

function decode(bytes: Uint8Array, encoding: Encoding): string {
  // Node keeps a byte order mark.
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
}

/** Reads from a position, or from the present one. @returns how many bytes there were; 0 at the end */
export function readSync(fd: number, bytes: Uint8Array, { position }: { position?: number } = {}): number {
  return check(system.readInto(fd, bytes, position), 'read')
}

export function writeFileSync(
  path: Path | number,
  data: string | Uint8Array,
  options: WriteOptions | Encoding = {}
): void {
  const { mode = 0o666, flag = 'w' } = typeof options === 'string' ? {} : options
  withFile(path, flag, mode, (fd) => check(system.write(fd, data), 'write'))
}

export function writeSync(fd: number, data: string | Uint8Array): number {
  check(system.write(fd, data), 'write')
  return (typeof data === 'string' ? new TextEncoder().encode(data) : data).byteLength
}

export function renameSync(from: Path, to: Path): void {
  check(system.rename(plain(from), plain(to)), 'rename', from, to)
}

function unlinkSync(path: Path): void {
  check(system.unlink(plain(path)), 'unlink', path)
}

function rmdirSync(path: Path): void {
  check(system.rmdir(plain(path)), 'rmdir', path)
}

export function chmodSync(path: Path, mode: number): void {
  check(system.chmod(plain(path), mode), 'chmod', path)
}

export function accessSync(path: Path, mode: number = constants.F_OK): void {
  check(system.access(plain(path), mode), 'access', path)
}

export function existsSync(path: Path): boolean {
  return typeof path === 'string' && !path.includes('\0') && system.access(path, constants.F_OK) === 0
}

/** Makes a folder; with `recursive` also those above it, and none is no error. Gives the first one it made, then. */
export function mkdirSync(
  path: Path,
  options: { recursive?: boolean; mode?: number } | number = {}
): string | undefined {
  const { recursive = false, mode = 0o777 } = typeof options === 'number' ? { mode: options } : options
  const made = system.mkdir(plain(path), mode)
  if (!recursive) return void check(made, 'mkdir', path)
  if (made === 0) return path
  const { code } = system.describeError(made)
  if (code === 'EEXIST' && statSync(path).isDirectory()) return undefined
  const above = path.replace(/\/+[^/]*\/*$/, '')
  if (code !== 'ENOENT' || above === '' || above === path) throw failure(made, 'mkdir', path)
  const first = mkdirSync(above, { recursive, mode })
  return mkdirSync(path, { recursive, mode }) && (first ?? path)
}

class Stats {
  readonly mode: number
  readonly size: number
  readonly mtimeMs: number

  constructor({ mode, size, mtimeMs }: { mode: number; size: number; mtimeMs: number }) {
    this.mode = mode
    this.size = size
    this.mtimeMs = mtimeMs
  }

  isFile(): boolean {
    return this.#is(0o100000)
  }

  isDirectory(): boolean {
    return this.#is(0o040000)
  }

  isSymbolicLink(): boolean {
    return this.#is(0o120000)
  }

  #is(type: number): boolean {
    return (this.mode & 0o170000) === type
  }
}

interface StatOptions {
  throwIfNoEntry?: boolean
}

function status(path: Path, call: 'stat' | 'lstat', { throwIfNoEntry = true }: StatOptions): Stats | undefined {
  const found = system.stat(plain(path), call === 'stat')
  if (typeof found !== 'number') return new Stats(found)
  if (!throwIfNoEntry && ['ENOENT', 'ENOTDIR'].includes(system.describeError(found).code)) return undefined
  throw failure(found, call, path)
}

export function statSync(path: Path): Stats
export function statSync(path: Path, options: StatOptions): Stats | undefined
export function statSync(path: Path, options: StatOptions = {}): Stats | undefined {
  return status(path, 'stat', options)
}

export function lstatSync(path: Path, options: StatOptions = {}): Stats | undefined {
  return status(path, 'lstat', options)
}

export function readdirSync(path: Path): string[] {
  return check(system.readdir(plain(path)), 'scandir', path) as string[]
}

export function rmSync(path: Path, options: { recursive?: boolean; force?: boolean } = {}): void {
  const found = lstatSync(path, { throwIfNoEntry: options.force !== true })
  if (!found) return
  if (!found.isDirectory()) {
    unlinkSync(path)
    return
  }
  if (!options.recursive) {
    const error = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`)
    throw Object.assign(error, { code: 'ERR_FS_EISDIR' })
  }
  for (const name of readdirSync(path)) rmSync(`${path}/${name}`, options)
  rmdirSync(path)
}
