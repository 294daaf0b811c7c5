import { action, reference, references, resource, status } from '#data/resource'
import { storageResetTypes } from '#data/storage'
import { type Get, link, members, type Schema } from '#runtime/contract'

export const schema = {
  title: '#Storage.v1_17_0.Storage',
  description: 'A storage subsystem',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Controllers: reference,
    Drives: references,
    'Drives@odata.count': { type: 'integer', readonly: true },
    Status: status,
    Volumes: reference,
    Actions: { type: 'object', properties: { '#Storage.ResetToDefaults': action('ResetType') } }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'StorageId'> = ({ params, uri, machine }) => {
  const { name, drives } = machine.storage(params.ComputerSystemId, params.StorageId)
  const { Members } = members(`${uri}/Drives`, Object.keys(drives))
  return {
    Name: name,
    Controllers: link(`${uri}/Controllers`),
    Drives: Members,
    'Drives@odata.count': Members.length,
    Status: { State: 'Enabled', Health: 'OK', HealthRollup: 'OK' },
    Volumes: link(`${uri}/Volumes`),
    Actions: {
      '#Storage.ResetToDefaults': {
        target: `${uri}/Actions/Storage.ResetToDefaults/`,
        'ResetType@Redfish.AllowableValues': storageResetTypes
      }
    }
  }
}
