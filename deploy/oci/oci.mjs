/**
 * Makes an OCI image of binaries, from nothing but them: `node deploy/oci/oci.mjs [--out DIR] [ARCH=FILE …]`.
 *
 * The result is an image layout (OCI image specification 1.1): a manifest for each architecture, of one layer with the
 * program and a folder for its state. It is the same, byte by byte, for the same binaries. The version is the name of the
 * image for all architectures; VERSION-ARCH is that of one, for programs that select none themselves, such as umoci.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'fflate'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** By the names of Go, which OCI uses. */
const platforms = /** @type {const} */ ({
  amd64: { architecture: 'amd64', os: 'linux' },
  arm64: { architecture: 'arm64', os: 'linux' },
  arm: { architecture: 'arm', variant: 'v7', os: 'linux' }
})

/** An unprivileged user. */
const user = 65_532

/**
 * @param {string} out folder of the layout, which is replaced
 * @param {Readonly<Record<string, string>>} binaries files by architecture
 * @param {string} version
 */
export function writeImage(out, binaries, version) {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(join(out, 'blobs/sha256'), { recursive: true })
  const blob = (/** @type {string} */ mediaType, /** @type {Uint8Array} */ bytes) => {
    const hash = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(out, 'blobs/sha256', hash), bytes)
    return { mediaType, digest: `sha256:${hash}`, size: bytes.length }
  }
  const json = (/** @type {string} */ mediaType, /** @type {object} */ value) =>
    blob(mediaType, new TextEncoder().encode(JSON.stringify(value)))
  const manifests = Object.entries(binaries).map(([architecture, file]) => {
    const platform = platforms[/** @type {keyof typeof platforms} */ (architecture)]
    if (platform === undefined)
      throw new RangeError(`${architecture} is not one of ${Object.keys(platforms).join(', ')}`)
    const tar = archive([
      { name: 'data/', mode: 0o700, owner: user, bytes: new Uint8Array() },
      { name: 'minnow', mode: 0o755, owner: 0, bytes: readFileSync(file) }
    ])
    const layer = blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar, { mtime: 0 }))
    const config = json('application/vnd.oci.image.config.v1+json', {
      ...platform,
      config: {
        User: `${user}:${user}`,
        ExposedPorts: { '8443/tcp': {} },
        Env: ['MINNOW_DATA=/data/minnow'],
        Entrypoint: ['/minnow'],
        WorkingDir: '/data',
        Volumes: { '/data': {} },
        Labels: { 'org.opencontainers.image.title': 'minnow', 'org.opencontainers.image.version': version }
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(tar).digest('hex')}`] }
    })
    const mediaType = 'application/vnd.oci.image.manifest.v1+json'
    return { ...json(mediaType, { schemaVersion: 2, mediaType, config, layers: [layer] }), platform }
  })
  const mediaType = 'application/vnd.oci.image.index.v1+json'
  const whole = json(mediaType, { schemaVersion: 2, mediaType, manifests })
  const named = (/** @type {object} */ descriptor, /** @type {string} */ name) => ({
    ...descriptor,
    annotations: { 'org.opencontainers.image.ref.name': name }
  })
  const each = manifests.map((manifest) => named(manifest, `${version}-${manifest.platform.architecture}`))
  const names = [named(whole, version), ...each]
  writeFileSync(join(out, 'index.json'), JSON.stringify({ schemaVersion: 2, mediaType, manifests: names }))
  writeFileSync(join(out, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
}

/**
 * A tape archive (POSIX ustar) of files and folders from 1970.
 *
 * @param {readonly { name: string, mode: number, owner: number, bytes: Uint8Array }[]} entries folders end in a slash
 */
function archive(entries) {
  const block = 512
  const parts = entries.flatMap(({ name, mode, owner, bytes }) => {
    const octal = (/** @type {number} */ value, /** @type {number} */ digits) => value.toString(8).padStart(digits, '0')
    const numbers = `${octal(mode, 7)}\0${octal(owner, 7)}\0${octal(owner, 7)}\0${octal(bytes.length, 11)}\0${octal(0, 11)}\0`
    const type = name.endsWith('/') ? '5' : '0'
    const rest = `${type}${'\0'.repeat(100)}ustar\x0000${'\0'.repeat(64)}${octal(0, 7)}\0${octal(0, 7)}\0`
    const text = (/** @type {string} */ sum) => `${name.padEnd(100, '\0')}${numbers}${sum}${rest}`.padEnd(block, '\0')
    const sum = Buffer.from(text(' '.repeat(8))).reduce((total, byte) => total + byte, 0)
    return [Buffer.from(text(`${octal(sum, 6)}\0 `)), bytes, Buffer.alloc((block - (bytes.length % block)) % block)]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * block)])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { out: { type: 'string', default: join(root, 'dist/oci') } },
    allowPositionals: true
  })
  const built = { amd64: 'dist/minnow-x86_64', arm64: 'dist/minnow-aarch64', arm: 'dist/minnow-armv7' }
  const given = positionals.map((each) => /** @type {[string, string]} */ (each.split('=', 2)))
  const here = Object.entries(built).filter(([, file]) => existsSync(join(root, file)))
  const binaries = Object.fromEntries(given.length > 0 ? given : here.map(([arch, file]) => [arch, join(root, file)]))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeImage(resolve(values.out), binaries, version)
  process.stderr.write(`${values.out}: ${Object.keys(binaries).join(', ')}\n`)
}
