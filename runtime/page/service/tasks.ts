import type { Known } from '../rules/known.ts'
import type { Task } from '../types.ts'
import { useMembers } from './resources.ts'

/** The tasks that the service knows, the oldest first. */
export const useTasks = (): Known<readonly Task[]> =>
  useMembers<Task>({ '@odata.id': '/redfish/v1/TaskService/Tasks/' })

/** Whether a task has not ended. */
export const isUnderWay = ({ TaskState }: Task) => ['Pending', 'Running', 'New', 'Starting'].includes(TaskState ?? '')
