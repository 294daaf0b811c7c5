import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { selfSigned } from './certificate.ts'

/**
 * The service's own key and certificate, PEM, kept as one file so that a power cut never leaves a pair that does not
 * match. A first start makes a P-256 key and a self-signed certificate for the names and addresses of this machine.
 */
export async function readIdentity(directory: string, now: Date): Promise<{ key: string; cert: string }> {
  const file = `${directory}/server.pem`
  if (!existsSync(file)) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const { key, cert } = await selfSigned({
      commonName: hostname().slice(0, 64),
      altNames: namesOfThisMachine(),
      now,
      random: randomBytes
    })
    replaceFile(directory, file, key + cert)
  }
  const text = readFileSync(file, 'utf8')
  const parts = text.match(/-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----\n?/g) ?? []
  const key = parts.find((part) => part.includes('PRIVATE KEY'))
  const cert = parts.filter((part) => part.includes('CERTIFICATE')).join('')
  if (key === undefined || cert === '') throw new Error(`${file} does not hold a key and a certificate`)
  return { key, cert }
}

function namesOfThisMachine(): { dns: string[]; ip: string[] } {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
  const ip = [...new Set(['127.0.0.1', '::1', ...addresses.map((address) => address.replace(/%.*$/, ''))])]
  return { dns: [...new Set([hostname(), 'localhost'])], ip }
}

/** Whole or not at all: a temporary file in the same directory, synced, renamed, and the directory synced. */
function replaceFile(directory: string, file: string, text: string): void {
  writeFileSync(`${file}.tmp`, text, { mode: 0o600 })
  sync(`${file}.tmp`)
  renameSync(`${file}.tmp`, file)
  sync(directory)
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
