import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#test/conformance/free-port.ts'
import { Connection, type RawResponse } from '#test/host/raw.ts'
import { directory } from '#test/host/server.ts'
import type { Measurement } from './measurement.ts'

/** Headers that each server writes by itself or that frame the answer. */
const own = new Set(['date', 'connection', 'keep-alive', 'content-length', 'content-type'])

/** A P-256 key and certificate, as the service makes. */
function certificate(measurement: Measurement): { key: string; cert: string } {
  const files = directory(measurement)
  const [key, cert] = [join(files, 'key.pem'), join(files, 'cert.pem')]
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'],
    ...['-subj', '/CN=localhost', '-keyout', key, '-out', cert]
  ])
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`)
  return { key, cert }
}

/** `node:https` with a handler that sends the answer given and does nothing else; its port. */
export async function bareNode(measurement: Measurement, { headers, body }: RawResponse): Promise<number> {
  const file = join(directory(measurement), 'answer.json')
  const { date: _, connection: __, 'keep-alive': ___, ...sent } = headers
  writeFileSync(file, JSON.stringify({ headers: sent, body: body.toString(), ...certificate(measurement) }))
  const child = spawn(process.execPath, ['bench/bare.mjs', file], { stdio: ['ignore', 'pipe', 'inherit'] })
  measurement.teardown(() => child.kill())
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return Number(port)
}

/** nginx with one worker that sends the answer given; its port. */
export async function nginx(measurement: Measurement, { headers, body }: RawResponse): Promise<number> {
  const root = directory(measurement)
  // nginx drops root's rights before it reads.
  chmodSync(root, 0o755)
  const port = await freePort()
  const { key, cert } = certificate(measurement)
  mkdirSync(join(root, 'tmp'))
  writeFileSync(join(root, 'answer'), body)
  const fields = Object.entries(headers).filter(([name]) => !own.has(name))
  writeFileSync(
    join(root, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${root}/pid; error_log ${root}/error.log;
events { worker_connections 1024; }
http {
  access_log off; etag off; server_tokens off; keepalive_requests 1000000000; open_file_cache max=10;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${root}/tmp;`).join(' ')}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${cert}; ssl_certificate_key ${key}; ssl_protocols TLSv1.2 TLSv1.3;
    location / {
      default_type '${headers['content-type']}';
      ${fields.map(([name, value]) => `add_header ${name} '${value}';`).join('\n      ')}
      root ${root}; try_files /answer =404;
    }
  }
}
`
  )
  const child = spawn('nginx', ['-p', root, '-c', join(root, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] })
  measurement.teardown(() => child.kill())
  await once(child, 'spawn').catch(() => {
    throw new Error('nginx: not here; install nginx-light')
  })
  await answers(port)
  return port
}

async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const connection = await Connection.open(port).catch(() => undefined)
    connection?.close()
    if (connection) return
    await pause(50)
  }
  throw new Error('nginx does not listen')
}
