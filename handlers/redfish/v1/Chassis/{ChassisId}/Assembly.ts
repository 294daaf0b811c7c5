import { assemblyContexts } from '#data/board'
import { arrayMember, resource, showArrayMember, text } from '#data/resource'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = {
  title: '#Assembly.v1_6_1.Assembly',
  description: 'Boards and other parts, as they are labelled',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Assemblies: {
      type: 'array',
      items: {
        type: 'object',
        required: ['@odata.id', 'MemberId'],
        properties: {
          ...arrayMember,
          Model: text,
          Name: text,
          PartNumber: text,
          PhysicalContext: { type: 'string', enum: assemblyContexts, nullable: true, readonly: true },
          Producer: text,
          ProductionDate: { type: 'string', format: 'date-time', nullable: true, readonly: true },
          SerialNumber: text,
          Version: text
        }
      },
      readonly: true
    },
    'Assemblies@odata.count': { type: 'integer', readonly: true }
  }
} as const satisfies Schema

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
