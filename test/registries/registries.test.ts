import t from 'tap'
import base from '#registries/base.json' with { type: 'json' }
import mgmt from '#registries/mgmt.json' with { type: 'json' }

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
