import { distinguishedName, ownCertificatesUri, requestCertificate } from '#data/certificates'
import { object, type Post } from '#runtime/contract'

const text = { type: 'string', minLength: 1, maxLength: 64 } as const

export const body = object(['City', 'CommonName', 'Country', 'OrgName', 'State'], {
  ...distinguishedName,
  IncludeIP: { type: 'boolean' },
  OrgName: text,
  OrgUnit: text
})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** With `IncludeIP` the certificate is to be good for the controller's addresses too. */
export const POST: Post<typeof body, 'ManagerId'> = (context) => {
  const { params, uri, body, machine } = context
  const { ethernetInterfaces } = machine.manager(params.ManagerId)
  const ports = Object.keys(ethernetInterfaces).map((id) => machine.port(params.ManagerId, id))
  const addresses = ports.flatMap(({ ipv4, ipv6 }) => [...ipv4, ...ipv6].map(({ address }) => address))
  const wish = {
    subject: {
      country: body.Country,
      state: body.State,
      city: body.City,
      organization: body.OrgName,
      organizationalUnit: body.OrgUnit,
      commonName: body.CommonName
    },
    alternativeNames: body.IncludeIP ? addresses : [],
    kind: 'EC' as const
  }
  const collection = ownCertificatesUri(params.ManagerId)
  return requestCertificate(context, wish, collection, uri.slice(uri.lastIndexOf('/') + 1))
}
