import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import base from '#registries/base.json' with { type: 'json' }
import mgmt from '#registries/mgmt.json' with { type: 'json' }
import type { MessageDefinition } from '#runtime/contract'

const files = readdirSync('registries').filter((name) => name.endsWith('.json'))

for (const registry of files.map((name) => JSON.parse(readFileSync(`registries/${name}`, 'utf8')))) {
  const messages = Object.entries<MessageDefinition>(registry.Messages)

  t.test(`${registry.RegistryPrefix} names itself by its prefix and version`, async (t) => {
    t.equal(registry.Id, `${registry.RegistryPrefix}.${registry.RegistryVersion}`)
    t.match(registry.RegistryVersion, /^\d+\.\d+\.\d+$/)
    t.equal(registry.Language, 'en')
  })

  t.test(`each message of ${registry.RegistryPrefix} has a place for each of its arguments`, async (t) => {
    for (const [key, { Message, NumberOfArgs, ParamTypes }] of messages) {
      const places = new Set(Message.match(/%\d/g))
      t.same(
        [...places].sort(),
        Array.from({ length: NumberOfArgs }, (_, index) => `%${index + 1}`),
        key
      )
      t.equal(ParamTypes.length, NumberOfArgs, key)
      for (const type of ParamTypes) t.match(type, /^(string|number)$/, key)
    }
  })

  t.test(`each message of ${registry.RegistryPrefix} says what to do, in sentences`, async (t) => {
    for (const [key, { Description, Message, MessageSeverity, Resolution, Severity }] of messages) {
      t.match(MessageSeverity, /^(OK|Warning|Critical)$/, key)
      t.equal(Severity, MessageSeverity, key)
      for (const text of [Description, Message, Resolution]) t.match(text, /^[A-Z%].*\.$/, key)
    }
  })
}

t.test('the messages that clients rely on take as many arguments as elsewhere', async (t) => {
  const counts = {
    MalformedJSON: 0,
    EmptyJSON: 0,
    PropertyUnknown: 1,
    PropertyNotWritable: 1,
    PropertyValueTypeError: 2,
    PropertyValueNotInList: 2,
    PropertyValueFormatError: 2,
    PropertyValueOutOfRange: 2,
    StringValueTooLong: 2,
    PropertyMissing: 1,
    ResourceMissingAtURI: 1,
    OperationNotAllowed: 0,
    InsufficientPrivilege: 0,
    PasswordChangeRequired: 1,
    PreconditionFailed: 0,
    ServiceTemporarilyUnavailable: 1,
    InternalError: 0,
    ActionParameterUnknown: 2,
    ActionParameterMissing: 2,
    ActionParameterValueTypeError: 3,
    ActionParameterValueNotInList: 3
  } as const
  for (const [key, count] of Object.entries(counts)) {
    t.equal(base.Messages[key as keyof typeof counts].NumberOfArgs, count, key)
  }
  t.equal(mgmt.Messages.UnauthorizedLoginAttempt.NumberOfArgs, 0)
  t.equal(mgmt.Messages.LoginAttemptDelayedSeconds.NumberOfArgs, 1)
})
