import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { isInstalled } from '#test/host/hosts.ts'

const startUp = '/usr/lib/crt0-efi-x86_64.o'

/** The packages to install before {@link buildApplication} works, if any. */
export const missingApplication =
  process.arch !== 'x64'
    ? 'EFI application: it is built on x86-64 only'
    : ['gcc', 'ld', 'objcopy'].every(isInstalled) && existsSync(startUp)
      ? undefined
      : 'EFI application: install gcc and gnu-efi'

/** The packages to install before {@link makeKey} and {@link sign} work, if any. */
export const missingSigning = ['sbsign', 'openssl'].every(isInstalled)
  ? undefined
  : 'signing: install sbsigntool and openssl'

function run(command: string, ...args: string[]): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw error ?? new Error(`${command} ended with ${status}: ${stderr}${stdout}`)
}

/** Builds report.c, or another of this folder. @returns the file, in `directory` */
export function buildApplication(directory: string, name = 'report', flags: readonly string[] = []): string {
  const [object, shared, application] = ['o', 'so', 'efi'].map((type) => `${directory}/${name}.${type}`) as Files
  run(
    'gcc',
    ...['-O2', '-Wall', '-Wextra', '-Werror', '-ffreestanding', '-fpic', '-fno-stack-protector', '-fshort-wchar'],
    ...['-mno-red-zone', '-maccumulate-outgoing-args', '-DGNU_EFI_USE_MS_ABI'],
    ...['-isystem', '/usr/include/efi', '-isystem', '/usr/include/efi/x86_64'],
    ...flags,
    ...['-c', `test/ovmf/${name}.c`, '-o', object]
  )
  run(
    'ld',
    ...['-nostdlib', '-shared', '-Bsymbolic', '-znocombreloc', '-T', '/usr/lib/elf_x86_64_efi.lds', '-L/usr/lib'],
    ...[startUp, object, '-o', shared, '-lgnuefi', '-lefi']
  )
  const sections = ['.text', '.sdata', '.data', '.dynamic', '.dynsym', '.rel', '.rela', '.rel.*', '.rela.*', '.reloc']
  run(
    'objcopy',
    ...[...sections, '.rodata'].flatMap((section) => ['-j', section]),
    ...['--target', 'efi-app-x86_64', '--subsystem=10', shared, application]
  )
  return application
}

type Files = [string, string, string]

/** Makes a folder, for a machine's disk, with an application that it boots by itself. */
export function makeDisk(directory: string, application: string): string {
  const disk = `${directory}/disk`
  mkdirSync(`${disk}/EFI/BOOT`, { recursive: true })
  cpSync(application, `${disk}/EFI/BOOT/BOOTX64.EFI`)
  return disk
}

export interface Key {
  readonly privateKey: string
  readonly certificate: string
  /** The certificate in DER. */
  readonly der: string
}

/** Makes a key and its own certificate: the files. */
export function makeKey(directory: string, name: string): Key {
  const [privateKey, certificate, der] = ['key', 'pem', 'der'].map((type) => `${directory}/${name}.${type}`) as Files
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-noenc', '-days', '3650', '-subj', `/CN=${name}`]
  run('openssl', ...request, '-keyout', privateKey, '-out', certificate)
  run('openssl', 'x509', '-in', certificate, '-outform', 'DER', '-out', der)
  return { privateKey, certificate, der }
}

/** Signs an application. @returns the signed file */
export function sign(application: string, { privateKey, certificate }: Key): string {
  const signed = `${application}.signed`
  run('sbsign', '--key', privateKey, '--cert', certificate, '--output', signed, application)
  return signed
}
