import { flag, reference, resource, status } from '#data/resource'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#TaskService.v1_2_1.TaskService',
  description: 'What the controller does in the background',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    CompletedTaskOverWritePolicy: { type: 'string', enum: ['Oldest'], readonly: true },
    DateTime: { type: 'string', format: 'date-time', nullable: true, readonly: true },
    LifeCycleEventOnTaskStateChange: flag,
    ServiceEnabled: flag,
    Status: status,
    Tasks: reference
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, time }) => ({
  Name: 'Task service',
  CompletedTaskOverWritePolicy: 'Oldest',
  DateTime: time(),
  LifeCycleEventOnTaskStateChange: true,
  ServiceEnabled: true,
  Tasks: link(`${uri}/Tasks`)
})
