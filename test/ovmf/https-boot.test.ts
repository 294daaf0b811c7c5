// needs: openssl
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory } from '#test/host/server.ts'
import { buildApplication, missingApplication } from './application.ts'
import { boots, fresh } from './fresh.ts'
import { missingMachine } from './machine.ts'

t.setTimeout(900_000)

const system = '/redfish/v1/Systems/1/'

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  const missing = host.missing ?? missingMachine ?? missingApplication
  needing(`OVMF boots from a server whose certificate Boot/Certificates has, on ${host.name}`, missing, async (t) => {
    const files = directory(t)
    const guest = readFileSync(buildApplication(files, 'guest', ['-DSETTINGS_GUID={0}']))
    const [key, cert] = [join(files, 'key.pem'), join(files, 'cert.pem')]
    // The address of this machine in QEMU's network.
    const names = ['-subj', '/CN=boot', '-addext', 'subjectAltName=IP:10.0.2.2']
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-noenc', '-keyout', key, '-out', cert, ...names])
    const asked: string[] = []
    const web = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ method, url }, answer) => {
      asked.push(`${method} ${url}`)
      answer.writeHead(200, { 'Content-Type': 'application/efi', 'Content-Length': guest.length })
      answer.end(method === 'HEAD' ? undefined : guest)
    }).listen(0, '127.0.0.1')
    t.teardown(() => web.close())
    const server = await fresh(t, host, { machine: { network: 'user,model=virtio-net-pci' } })
    const trusted = { CertificateType: 'PEM', CertificateString: readFileSync(cert, 'utf8') }
    t.equal((await server.post(`${system}Boot/Certificates/`, trusted)).status, 201)
    const HttpBootUri = `https://10.0.2.2:${(web.address() as AddressInfo).port}/guest.efi`
    const Boot = { HttpBootUri, BootSourceOverrideTarget: 'UefiHttp', BootSourceOverrideEnabled: 'Once' }
    t.equal((await server.patch(system, { Boot })).status, 200)
    await boots(server, 'On', /guest: started/)
    t.same(asked, ['HEAD /guest.efi', 'GET /guest.efi'])
  })
}
