import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/ActionInfo/{ActionInfoId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const parameters = {
  'Rack.Turn': {
    type: 'object',
    required: ['Angle'],
    properties: {
      Angle: { type: 'integer', minimum: 0, maximum: 359 },
      Fast: { type: 'boolean' },
      Mode: { type: 'string', enum: ['Left', 'Right'] },
      Labels: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' }, maxItems: 4 },
      Target: { type: 'object', properties: {} }
    }
  }
} as const
const show = (ActionInfoId: string) =>
  GET(context({ params: { ActionInfoId }, parameters: (action) => parameters[action as keyof typeof parameters] }))

t.test('each parameter of an action is described with the values that it takes', async (t) => {
  const { Name, Parameters } = show('Rack.Turn')
  t.equal(Name, 'Parameters of Rack.Turn')
  t.same(Parameters, [
    { Name: 'Angle', Required: true, DataType: 'Number', MinimumValue: 0, MaximumValue: 359 },
    { Name: 'Fast', Required: false, DataType: 'Boolean' },
    { Name: 'Mode', Required: false, DataType: 'String', AllowableValues: ['Left', 'Right'] },
    {
      Name: 'Labels',
      Required: false,
      DataType: 'StringArray',
      AllowablePattern: '^[a-z]+$',
      ArraySizeMaximum: 4
    },
    { Name: 'Target', Required: false, DataType: 'Object' }
  ])
})

t.test('there is no other action', async (t) => {
  t.same(await refusal(() => show('Rack.Tilt')), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
