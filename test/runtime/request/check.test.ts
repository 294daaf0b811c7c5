import t from 'tap'
import { checkAction, checkCreate, checkPatch, checkPut } from '#runtime/request/check.ts'
import type { Parameters, Property, Schema } from '#runtime/schema'
import { faults } from './faults.ts'

const schema = {
  title: '#ComputerSystem.v1_0_0.ComputerSystem',
  type: 'object',
  required: ['@odata.id', 'Id'],
  properties: {
    '@odata.id': { type: 'string', readonly: true },
    '@odata.etag': { type: 'string', readonly: true },
    Id: { type: 'string', readonly: true },
    AssetTag: { type: 'string', nullable: true, maxLength: 8, readonly: false },
    Enabled: { type: 'boolean', readonly: false },
    Count: { type: 'integer', minimum: 1, maximum: 10, readonly: false },
    Level: { type: 'number', readonly: false },
    UserPassword: { type: 'string', minLength: 8, readonly: false },
    Status: { type: 'object', properties: { Health: { type: 'string', readonly: true } } },
    Boot: {
      type: 'object',
      properties: {
        Target: { type: 'string', enum: ['None', 'Pxe'], readonly: false },
        Mode: { type: 'string', readonly: true },
        Order: { type: 'array', items: { type: 'string', pattern: '^Boot[0-9A-F]{4}$' }, maxItems: 3, readonly: false }
      }
    },
    Attributes: {
      type: 'object',
      properties: {},
      additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
      readonly: false
    },
    Links: {
      type: 'object',
      properties: {
        Chassis: {
          type: 'array',
          items: { type: 'object', properties: { '@odata.id': { type: 'string', readonly: true } } },
          readonly: false
        }
      }
    },
    '@Redfish.SettingsApplyTime': {
      type: 'object',
      readonly: false,
      properties: { ApplyTime: { type: 'string', enum: ['OnReset'] } }
    }
  }
} as const satisfies Schema

const patch = (body: unknown) => faults(() => checkPatch(schema, body as Record<string, unknown>))

/** The fault that one value of one property is. */
const of = (property: Property, value: unknown) =>
  faults(() => checkPatch({ type: 'object', properties: { P: { ...property, readonly: false } } }, { P: value }))

t.test('writable properties of the right types are returned unchanged', async (t) => {
  const body = {
    AssetTag: 'rack 7',
    Enabled: false,
    Count: 3,
    Level: 0.5,
    Boot: { Target: 'Pxe', Order: ['Boot0001'] }
  }
  t.same(patch(body), { returned: body })
})

t.test('null clears nullable properties only', async (t) => {
  t.same(patch({ AssetTag: null }), { returned: { AssetTag: null } })
  t.same(patch({ Count: null }), [400, ['Base.PropertyValueTypeError', 'null', 'Count', '#/Count']])
  t.same(patch({ Boot: null }), [400, ['Base.PropertyValueTypeError', 'null', 'Boot', '#/Boot']])
})

t.test('one answer names every fault, with a pointer to each', async (t) => {
  t.same(
    patch({ AssetTag: 'good', Nope: 1, Id: 'x', Enabled: 'yes', Boot: { Target: 'Moon', Mode: 'UEFI', 'a/b~c': 1 } }),
    [
      400,
      ['Base.PropertyUnknown', 'Nope', '#/Nope'],
      ['Base.PropertyNotWritable', 'Id', '#/Id'],
      ['Base.PropertyValueTypeError', 'yes', 'Enabled', '#/Enabled'],
      ['Base.PropertyValueNotInList', 'Moon', 'Target', '#/Boot/Target'],
      ['Base.PropertyNotWritable', 'Mode', '#/Boot/Mode'],
      ['Base.PropertyUnknown', 'a/b~c', '#/Boot/a~1b~0c']
    ]
  )
})

t.test('an object without writable members is read-only as a whole', async (t) => {
  t.same(patch({ Status: { Health: 'OK' } }), [400, ['Base.PropertyNotWritable', 'Status', '#/Status']])
})

t.test('each type refuses the values of the others', async (t) => {
  const wrong: [Property, unknown[]][] = [
    [{ type: 'string' }, [1, true, [], {}, null]],
    [{ type: 'integer' }, ['1', 1.5, false, [1], {}, null]],
    [{ type: 'number' }, ['1', true, [], {}, null]],
    [{ type: 'boolean' }, ['true', 0, 1, [], {}, null]],
    [{ type: 'array', items: { type: 'string' } }, ['x', 1, { 0: 'x' }, null]],
    [{ type: 'object', properties: {} }, ['x', 1, [], null]]
  ]
  for (const [property, values] of wrong) {
    for (const value of values) {
      const shown = typeof value === 'string' ? value : JSON.stringify(value)
      const fault = [400, ['Base.PropertyValueTypeError', shown, 'P', '#/P']]
      t.same(of(property, value), fault, `${shown} is no ${property.type}`)
    }
  }
})

t.test('numbers stay in their range', async (t) => {
  t.same(patch({ Count: 11 }), [400, ['Base.PropertyValueOutOfRange', '11', 'Count', '#/Count']])
  t.same(patch({ Count: 0 }), [400, ['Base.PropertyValueOutOfRange', '0', 'Count', '#/Count']])
  t.same(patch({ Count: 1 }), { returned: { Count: 1 } })
  t.same(patch(JSON.parse('{"Level":1e999}')), [400, ['Base.PropertyValueOutOfRange', 'Infinity', 'Level', '#/Level']])
  t.same(patch(JSON.parse('{"Count":-1e999}')), [
    400,
    ['Base.PropertyValueOutOfRange', '-Infinity', 'Count', '#/Count']
  ])
})

t.test('strings have the length, the pattern and the format that they should', async (t) => {
  t.same(patch({ AssetTag: '123456789' }), [400, ['Base.StringValueTooLong', '123456789', '8', '#/AssetTag']])
  t.same(of({ type: 'string', minLength: 2 }, 'x'), [400, ['Base.StringValueTooShort', 'x', '2', '#/P']])
  t.same(of({ type: 'string', pattern: '^a+$' }, 'ab'), [400, ['Base.PropertyValueFormatError', 'ab', 'P', '#/P']])
  const formats = {
    'date-time': [
      ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00.5+01:00'],
      [
        '2024-02-29',
        '2024-13-01T00:00:00Z',
        '2026-02-30T00:00:00Z',
        '2024-02-29T24:00:00Z',
        '2024-02-29T10:00:00+24:00',
        'now'
      ]
    ],
    uri: [
      ['https://[::1]:8443/a?b#c', 'urn:x:y'],
      ['/redfish', 'https://a b', 'https://a/%zz', '']
    ],
    'uri-reference': [
      ['/redfish/v1/', '#/A', '%20'],
      ['a b', '%2', '<x>']
    ],
    uuid: [['01234567-89ab-cdef-0123-456789ABCDEF'], ['01234567-89ab-cdef-0123-456789abcde', 'x']],
    duration: [
      ['P1D', 'PT1H30M', 'PT0.5S', 'P1DT', 'P7DT'],
      ['P', 'PT', '1D', 'P1Y', 'P1D2H']
    ]
  } as const
  for (const [format, [good, bad]] of Object.entries(formats)) {
    const property = { type: 'string', format: format as keyof typeof formats } as const
    for (const value of good) t.same(of(property, value), { returned: { P: value } }, `${value} is a ${format}`)
    for (const value of bad) {
      t.same(
        of(property, value),
        [400, ['Base.PropertyValueFormatError', value, 'P', '#/P']],
        `${value} is no ${format}`
      )
    }
  }
})

t.test('NUL and halves of surrogate pairs are no text', async (t) => {
  t.match(of({ type: 'string' }, 'a\0b'), [400, ['Base.PropertyValueFormatError']])
  t.match(of({ type: 'string' }, '\ud83d'), [400, ['Base.PropertyValueFormatError']])
  t.match(patch({ Attributes: { A: 'a\0' } }), [400, ['Base.PropertyValueFormatError']])
  t.same(of({ type: 'string' }, '😀\n'), { returned: { P: '😀\n' } })
})

t.test('within an element of the array of a PATCH null and {} are values like any other', async (t) => {
  const items = { type: 'object', properties: { Names: { type: 'array', items: { type: 'string' } } } } as const
  t.same(of({ type: 'array', items }, [{ Names: ['a'] }, null, {}]), { returned: { P: [{ Names: ['a'] }, null, {}] } })
  t.same(of({ type: 'array', items }, [{ Names: [null, {}] }]), [
    400,
    ['Base.PropertyValueTypeError', 'null', 'Names', '#/P/0/Names/0'],
    ['Base.PropertyValueTypeError', '{}', 'Names', '#/P/0/Names/1']
  ])
})

t.test('in the array of a PATCH null and {} stay in their places, and other elements are checked', async (t) => {
  const order = [null, {}, 'Boot0001']
  t.same(patch({ Boot: { Order: order } }), { returned: { Boot: { Order: order } } })
  t.same(patch({ Boot: { Order: ['Boot0001', 5, 'x'] } }), [
    400,
    ['Base.PropertyValueTypeError', '5', 'Order', '#/Boot/Order/1'],
    ['Base.PropertyValueFormatError', 'x', 'Order', '#/Boot/Order/2']
  ])
  t.same(patch({ Boot: { Order: [{}, {}, {}, {}] } }), [400, ['Base.ArraySizeTooLong', 'Order', '3', '#/Boot/Order']])
})

t.test('a new element of an array has what is required of it, but for what clients do not write', async (t) => {
  const items = {
    type: 'object',
    required: ['Id', 'Name'],
    properties: { Id: { type: 'string', readonly: true }, Name: { type: 'string' }, Label: { type: 'string' } }
  } as const
  t.same(of({ type: 'array', items }, [{}, { Label: 'x' }, { Name: 'y' }]), [
    400,
    ['Base.PropertyMissing', 'Name', '#/P/1/Name']
  ])
})

t.test('the array of a PUT holds values only', async (t) => {
  t.same(
    faults(() => checkPut(schema, { Boot: { Order: [{}, null] } })),
    [
      400,
      ['Base.PropertyValueTypeError', '{}', 'Order', '#/Boot/Order/0'],
      ['Base.PropertyValueTypeError', 'null', 'Order', '#/Boot/Order/1']
    ]
  )
  t.same(
    faults(() => checkPut(schema, { Attributes: {} })),
    { returned: { Attributes: {} } }
  )
})

t.test('free members have one of the types that are declared', async (t) => {
  const Attributes = { BootMode: 'Uefi', Cores: 4, Turbo: true, Password: null }
  t.same(patch({ Attributes }), { returned: { Attributes } })
  t.same(patch({ Attributes: { A: 1.5, B: [] } }), [
    400,
    ['Base.PropertyValueTypeError', '1.5', 'A', '#/Attributes/A'],
    ['Base.PropertyValueTypeError', '[]', 'B', '#/Attributes/B']
  ])
})

t.test('names of Object.prototype are unknown properties', async (t) => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
    t.same(patch({ [name]: 1 }), [400, ['Base.PropertyUnknown', name, `#/${name}`]])
  }
  const fault = [400, ['Base.PropertyUnknown', '__proto__', '#/Attributes/__proto__']]
  t.same(patch(JSON.parse('{"Attributes":{"__proto__":"x"}}')), fault)
})

t.test('annotations in a PATCH are ignored at every level', async (t) => {
  const annotations = {
    '@odata.id': '/x',
    '@odata.etag': 1,
    '@odata.type': '#X',
    'Order@odata.count': 2,
    '@Foo.Bar': {}
  }
  t.same(patch({ ...annotations, Enabled: true, Boot: { ...annotations, Target: 'Pxe' } }), {
    returned: { Enabled: true, Boot: { Target: 'Pxe' } }
  })
})

t.test('an annotation that the schema declares writable is checked and kept', async (t) => {
  const body = {
    '@Redfish.SettingsApplyTime': { '@odata.type': '#Settings', ApplyTime: 'OnReset' },
    Attributes: { A: 1 }
  }
  t.same(patch(body), { returned: { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' }, Attributes: { A: 1 } } })
  t.match(patch({ ...body, '@Redfish.SettingsApplyTime': { ApplyTime: 'Now' } }), [
    400,
    ['Base.PropertyValueNotInList', 'Now', 'ApplyTime', '#/@Redfish.SettingsApplyTime/ApplyTime']
  ])
})

t.test('the @odata.id of a link that can be set is its value', async (t) => {
  const body = { Links: { Chassis: [{ '@odata.id': '/redfish/v1/Chassis/1/' }] } }
  t.same(patch(body), { returned: body })
  t.same(patch({ Links: { Chassis: [{ '@odata.id': 1 }] } }), [
    400,
    ['Base.PropertyValueTypeError', '1', '@odata.id', '#/Links/Chassis/0/@odata.id']
  ])
})

t.test('a PATCH of nothing says so', async (t) => {
  t.same(patch(undefined), [400, ['Base.EmptyJSON']])
  t.same(patch({}), [400, ['Base.EmptyJSON']])
  t.same(patch({ '@odata.etag': 'x' }), [400, ['Base.NoOperation']])
  t.same(patch({ Boot: {} }), [400, ['Base.NoOperation']])
  t.same(patch({ Attributes: {} }), [400, ['Base.NoOperation']])
  t.same(patch({ '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } }), [400, ['Base.NoOperation']])
})

t.test('messages repeat no secret', async (t) => {
  t.same(patch({ UserPassword: 'short' }), [400, ['Base.StringValueTooShort', '******', '8', '#/UserPassword']])
  const nested = of({ type: 'string' }, { UserName: 'ann', Password: 'hunter22' })
  t.same(nested, [400, ['Base.PropertyValueTypeError', '{"UserName":"ann","Password":"******"}', 'P', '#/P']])
  const headers = {
    type: 'object',
    properties: { HttpHeaders: { type: 'object', properties: {}, readonly: false } }
  } as const
  t.same(
    faults(() => checkPatch(headers, { HttpHeaders: 'Authorization: Basic YTpi' })),
    [400, ['Base.PropertyValueTypeError', '******', 'HttpHeaders', '#/HttpHeaders']]
  )
})

t.test('long values and names are cut in messages', async (t) => {
  t.same(of({ type: 'integer' }, 'x'.repeat(100)), [
    400,
    ['Base.PropertyValueTypeError', `${'x'.repeat(64)}…`, 'P', '#/P']
  ])
  const name = `${'n'.repeat(64)}…`
  t.same(patch({ ['n'.repeat(10_000)]: 1 }), [400, ['Base.PropertyUnknown', name, `#/${name}`]])
})

const account = {
  type: 'object',
  required: ['UserName', 'Password'],
  properties: {
    UserName: { type: 'string', readonly: true },
    Password: { type: 'string', nullable: true },
    Options: { type: 'object', required: ['Kind'], properties: { Kind: { type: 'string' } } }
  }
} as const satisfies Parameters

t.test('a creation accepts declared members, and needs the required ones', async (t) => {
  t.same(
    faults(() => checkCreate(account, { UserName: 'ann', Password: 'x', '@odata.type': '#A' })),
    {
      returned: { UserName: 'ann', Password: 'x' }
    }
  )
  t.same(
    faults(() => checkCreate(account, { Extra: 1, Options: {} })),
    [
      400,
      ['Base.PropertyUnknown', 'Extra', '#/Extra'],
      ['Base.PropertyMissing', 'Kind', '#/Options/Kind'],
      ['Base.PropertyMissing', 'UserName', '#/UserName'],
      ['Base.PropertyMissing', 'Password', '#/Password']
    ]
  )
  t.match(
    faults(() => checkCreate(account, {})),
    [400, ['Base.PropertyMissing'], ['Base.PropertyMissing']]
  )
  t.same(
    faults(() => checkCreate(account, undefined)),
    [400, ['Base.EmptyJSON']]
  )
})

const reset = {
  type: 'object',
  required: ['ResetType'],
  properties: {
    ResetType: { type: 'string', enum: ['On', 'ForceOff'] },
    Delay: { type: 'integer', minimum: 0 },
    At: { type: 'string', format: 'date-time' }
  }
} as const satisfies Parameters

t.test('the faults of an action are those of its parameters', async (t) => {
  const action = 'ComputerSystem.Reset'
  const act = (body: Record<string, unknown>) => faults(() => checkAction(reset, body, action))
  t.same(act({ ResetType: 'On' }), { returned: { ResetType: 'On' } })
  t.same(act({}), [400, ['Base.ActionParameterMissing', action, 'ResetType', '#/ResetType']])
  t.same(act({ ResetType: 'Explode', Force: true, Delay: -1, At: 'noon' }), [
    400,
    ['Base.ActionParameterValueNotInList', 'Explode', 'ResetType', action, '#/ResetType'],
    ['Base.ActionParameterUnknown', action, 'Force', '#/Force'],
    ['Base.ActionParameterValueOutOfRange', '-1', 'Delay', action, '#/Delay'],
    ['Base.ActionParameterValueFormatError', 'noon', 'At', action, '#/At']
  ])
  t.same(act({ ResetType: 1 }), [400, ['Base.ActionParameterValueTypeError', '1', 'ResetType', action, '#/ResetType']])
})

t.test('the name of the action in the body is ignored, unless it is a parameter', async (t) => {
  const named = { type: 'object', properties: { Action: { type: 'string', enum: ['Go'] } } } as const
  const plain = { type: 'object', properties: { Depth: { type: 'integer' } } } as const
  t.same(checkAction(plain, { Action: 'A.B', Depth: 1 }, 'A.B'), { Depth: 1 })
  t.same(
    faults(() => checkAction(plain, { Action: 7 }, 'A.B')),
    [400, ['Base.ActionParameterUnknown', 'A.B', 'Action', '#/Action']]
  )
  t.same(checkAction(named, { Action: 'Go' }, 'A.B'), { Action: 'Go' })
})

t.test('a text that a handler ignores is ignored', async (t) => {
  const plain = { type: 'object', properties: { Depth: { type: 'integer' } } } as const
  t.same(checkAction(plain, { ResetType: 'default', Depth: 1 }, 'A.B', ['ResetType']), { Depth: 1 })
  t.same(
    faults(() => checkAction(plain, { ResetType: 7 }, 'A.B', ['ResetType'])),
    [400, ['Base.ActionParameterUnknown', 'A.B', 'ResetType', '#/ResetType']]
  )
})

t.test('an action without required parameters needs no body', async (t) => {
  const parameters = { type: 'object', properties: { Depth: { type: 'integer' } } } as const
  t.same(
    faults(() => checkAction(parameters, undefined, 'A.B')),
    { returned: {} }
  )
  t.same(
    faults(() => checkAction(parameters, {}, 'A.B')),
    { returned: {} }
  )
  t.same(
    faults(() => checkAction(reset, undefined, 'A.B')),
    [400, ['Base.EmptyJSON']]
  )
})
