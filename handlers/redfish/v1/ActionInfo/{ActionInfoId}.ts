import { dataTypes, resource, showParameters } from '#data/resource'
import { type Get, list, notFound, object } from '#runtime/contract'

const text = { type: 'string', readonly: true } as const
const number = { type: 'number', readonly: true } as const

export const schema = resource('ActionInfo.v1_4_2', 'The parameters of an action', {
  Parameters: list(
    object(['Name'], {
      Name: text,
      Required: { type: 'boolean', readonly: true },
      DataType: { type: 'string', enum: dataTypes, readonly: true },
      AllowableValues: list({ type: 'string' }),
      AllowablePattern: text,
      ArraySizeMaximum: { type: 'integer', readonly: true },
      MinimumValue: number,
      MaximumValue: number
    })
  )
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ActionInfoId'> = ({ params, parameters }) => ({
  Name: `Parameters of ${params.ActionInfoId}`,
  Parameters: showParameters(parameters(params.ActionInfoId) ?? notFound())
})
