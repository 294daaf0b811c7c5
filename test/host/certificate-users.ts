import { Authority, type Issued, licenseKey, serverExtensions } from './authority.ts'
import type { Scope, Server } from './server.ts'

const security = '/redfish/v1/Managers/1/SecurityService'
export const login = `${security}/CertificateAuthentication`
export const importAuthority = `${login}/Actions/VendorCertAuth.ImportCACertificate`
export const mapping = '/redfish/v1/AccountService/UserCertificateMapping'

export async function addUser(server: Server, user: string, role = 'Operator'): Promise<void> {
  const body = { UserName: user, Password: 'Tin-Whistle-8', RoleId: role }
  const { status, text } = await server.post('/redfish/v1/AccountService/Accounts', body)
  if (status !== 201) throw new Error(text)
}

export async function map(server: Server, user: string, { cert }: Issued): Promise<void> {
  const { status, text } = await server.post(mapping, { UserName: user, Fingerprint: cert.replaceAll('\n', '\\r\\n') })
  if (status !== 201) throw new Error(text)
}

/** Gives the service a certificate of an authority. */
export async function serveTrusted(server: Server, authority: Authority): Promise<void> {
  const names = { CommonName: 'bmc-1', OrgName: 'Lab', City: 'Bern', State: 'BE', Country: 'CH' }
  const made = await server.post(`${security}/HttpsCert/Actions/VendorHttpsCert.GenerateCSR`, names)
  const Certificate = authority.sign(made.json.CSRString, { extensions: serverExtensions })
  const put = await server.post(`${security}/HttpsCert/Actions/VendorHttpsCert.ImportCertificate`, { Certificate })
  if (put.status !== 200) throw new Error(put.text)
}

/** Has a service trust an authority, for clients and for servers. */
export async function trust(server: Server, { cert }: Authority): Promise<void> {
  const body = { Action: 'VendorCertAuth.ImportCACertificate', Certificate: cert }
  const { status, text } = await server.post(importAuthority, body)
  if (status !== 200) throw new Error(text)
}

/** Does all that login with certificates needs, and enables it. @returns the authority, and the certificate of a user */
export async function logsInByCertificate(t: Scope, server: Server, user: string) {
  const authority = new Authority(t, 'Users')
  const own = authority.issue()
  await map(server, user, own)
  await trust(server, authority)
  await server.post('/redfish/v1/Managers/1/LicenseService', { LicenseKey: licenseKey() })
  await server.patch('/redfish/v1/Managers/1/DateTime', { StaticNTPServers: ['ntp.example.net'] })
  await serveTrusted(server, authority)
  const enabled = await server.patch(login, { CertificateLoginEnabled: true })
  if (enabled.status !== 200) throw new Error(enabled.text)
  return { authority, own }
}
