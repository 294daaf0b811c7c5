import { assemblyContexts } from '#data/board'
import { arrayMember, resource, showArrayMember, text } from '#data/resource'
import { type Get, list, notFound, object } from '#runtime/contract'

export const schema = resource('Assembly.v1_6_1', 'Boards and other parts, as they are labelled', {
  Assemblies: list(
    object(['@odata.id', 'MemberId'], {
      ...arrayMember,
      Model: text,
      Name: text,
      PartNumber: text,
      PhysicalContext: { type: 'string', enum: assemblyContexts, nullable: true, readonly: true },
      Producer: text,
      ProductionDate: { type: 'string', format: 'date-time', nullable: true, readonly: true },
      SerialNumber: text,
      Version: text
    })
  ),
  'Assemblies@odata.count': { type: 'integer', readonly: true }
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const { assemblies } = machine.chassis(params.ChassisId)
  if (assemblies === undefined) notFound()
  return {
    Name: 'Assemblies',
    Assemblies: assemblies.map(({ serialNumber, ...each }, index) => ({
      ...showArrayMember(uri, 'Assemblies', index),
      Model: each.model ?? null,
      Name: each.name,
      PartNumber: each.partNumber ?? null,
      PhysicalContext: each.context,
      Producer: each.producer ?? null,
      ProductionDate: each.productionDate ?? null,
      SerialNumber: serialNumber === undefined ? null : machine.serialNumber({ serialNumber }),
      Version: each.version ?? null
    })),
    'Assemblies@odata.count': assemblies.length
  }
}
