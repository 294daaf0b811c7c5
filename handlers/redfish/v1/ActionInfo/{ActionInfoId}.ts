import { dataTypes, resource, showParameters } from '#data/resource'
import { type Get, notFound, type Schema } from '#runtime/contract'

const text = { type: 'string', readonly: true } as const
const number = { type: 'number', readonly: true } as const

export const schema = {
  title: '#ActionInfo.v1_4_2.ActionInfo',
  description: 'The parameters of an action',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Parameters: {
      type: 'array',
      items: {
        type: 'object',
        required: ['Name'],
        properties: {
          Name: text,
          Required: { type: 'boolean', readonly: true },
          DataType: { type: 'string', enum: dataTypes, readonly: true },
          AllowableValues: { type: 'array', items: { type: 'string' }, readonly: true },
          AllowablePattern: text,
          ArraySizeMaximum: { type: 'integer', readonly: true },
          MinimumValue: number,
          MaximumValue: number
        }
      },
      readonly: true
    }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ActionInfoId'> = ({ params, parameters }) => ({
  Name: `Parameters of ${params.ActionInfoId}`,
  Parameters: showParameters(parameters(params.ActionInfoId) ?? notFound())
})
