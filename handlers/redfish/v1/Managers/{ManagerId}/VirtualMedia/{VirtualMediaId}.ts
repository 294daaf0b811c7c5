import { entry, mediaTypes } from '#data/board'
import { bootFromDrive, bootsFromDrive, hasBootOverride } from '#data/boot'
import { changeMedia, transferMethods, transferProtocols } from '#data/media'
import { actions, flag, oem, resource, text } from '#data/resource'
import { fail, type Get, list, merged, notFound, type Patch } from '#runtime/contract'
import { body as vendorInsertion } from './{VirtualMediaId}/Actions/Oem/Vendor/VendorMedia.InsertVirtualMedia.ts'
import { body as insertion } from './{VirtualMediaId}/Actions/VirtualMedia.InsertMedia.ts'

export const schema = resource('VirtualMedia.v1_6_4', 'A drive with a medium from the network', {
  ConnectedVia: { type: 'string', enum: ['NotConnected', 'URI', 'Applet'], nullable: true, readonly: true },
  Image: { type: 'string', maxLength: 2048, nullable: true, readonly: false },
  ImageName: text,
  Inserted: { type: 'boolean', readonly: false },
  MediaTypes: list({ type: 'string', enum: mediaTypes }),
  TransferMethod: { type: 'string', enum: transferMethods, nullable: true, readonly: true },
  TransferProtocolType: { type: 'string', enum: [...transferProtocols, 'OEM'], nullable: true, readonly: true },
  VerifyCertificate: flag,
  WriteProtected: flag,
  Actions: actions({ 'VirtualMedia.EjectMedia': {}, 'VirtualMedia.InsertMedia': insertion }),
  Oem: oem('VendorMedia.v1_0_0', {
    Actions: actions({ 'VendorMedia.EjectVirtualMedia': {}, 'VendorMedia.InsertVirtualMedia': vendorInsertion }),
    BootOnNextServerReset: { type: 'boolean', readonly: false },
    StreamURI: { type: 'string', format: 'uri-reference', readonly: true }
  })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'VirtualMediaPriv' } as const

type Path = 'ManagerId' | 'VirtualMediaId'

export const GET: Get<typeof schema, Path> = ({ params, uri, machine, state }) => {
  const { systems, virtualMedia } = machine.manager(params.ManagerId)
  const { name, types, media } = entry(virtualMedia, params.VirtualMediaId) ?? notFound()
  const medium = state.get('virtualMedia', `${params.ManagerId}/${params.VirtualMediaId}`)
  const { client } = medium ?? {}
  const path = medium?.image.replace(/\?.*$/s, '') ?? ''
  return {
    Name: name,
    ConnectedVia: medium === undefined ? 'NotConnected' : client === undefined ? 'URI' : 'Applet',
    Image: medium?.image || null,
    ImageName: medium === undefined ? null : (client?.name ?? path.slice(path.lastIndexOf('/') + 1)),
    Inserted: medium?.inserted ?? false,
    MediaTypes: types,
    TransferMethod:
      medium === undefined ? null : (medium.transferMethod ?? (client === undefined ? 'Upload' : 'Stream')),
    TransferProtocolType: medium === undefined ? null : protocolOf(medium.image),
    VerifyCertificate: medium?.verifyCertificate ?? false,
    WriteProtected: medium?.writeProtected ?? true,
    Oem: {
      Vendor: {
        ...(systems.some((system) => hasBootOverride(machine, system)) && {
          BootOnNextServerReset: systems.some((system) => bootsFromDrive(state, system, types))
        }),
        ...(media && { StreamURI: `${uri}/Stream` })
      }
    }
  }
}

/** Inserts and ejects as the actions do. The next boot is that of the manager's systems. */
export const PATCH: Patch<typeof schema, Path> = (context) => {
  const { params, body, machine, state } = context
  const { systems, virtualMedia } = machine.manager(params.ManagerId)
  const { types } = entry(virtualMedia, params.VirtualMediaId) ?? notFound()
  const outcome = changeMedia(context, body)
  const next = body.Oem?.Vendor?.BootOnNextServerReset
  const able = systems.filter((system) => hasBootOverride(machine, system))
  if (next !== undefined && able.length === 0) fail(400, 'Base.PropertyUnknown', 'BootOnNextServerReset')
  const boots = next === undefined ? [] : able.map((system) => bootFromDrive(state, system, types, next))
  return { ...outcome, writes: boots.reduce(merged, outcome.writes ?? {}) }
}

/** A file of the controller is no protocol that the standard names. */
function protocolOf(image: string) {
  return transferProtocols.find((each) => image.toUpperCase().startsWith(`${each}:`)) ?? 'OEM'
}
