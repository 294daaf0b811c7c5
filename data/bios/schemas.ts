/** Values of BIOS attributes, as the current and the pending area hold them. Which there are is the registry's to say. */
export const biosAttributes = {
  type: 'object',
  properties: {},
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  readonly: false
} as const

/** When a client wants settings to be applied: there is no other time than the next reset. */
export const settingsApplyTime = {
  type: 'object',
  properties: { ApplyTime: { type: 'string', enum: ['OnReset'], readonly: false } },
  readonly: false
} as const
