import { child, flag, resource, status } from '#data/resource'
import type { Get } from '#runtime/contract'

export const schema = resource('TaskService.v1_2_1', 'What the controller does in the background', {
  CompletedTaskOverWritePolicy: { type: 'string', enum: ['Oldest'], readonly: true },
  DateTime: { type: 'string', format: 'date-time', nullable: true, readonly: true },
  LifeCycleEventOnTaskStateChange: flag,
  ServiceEnabled: flag,
  Status: status,
  Tasks: child('Tasks')
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ time }) => ({
  Name: 'Task service',
  CompletedTaskOverWritePolicy: 'Oldest',
  DateTime: time(),
  LifeCycleEventOnTaskStateChange: true,
  ServiceEnabled: true
})
