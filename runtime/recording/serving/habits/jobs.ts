import { simulateWork, type Task } from '#data/tasks'
import {
  type Context,
  type Get,
  type HandlerModule,
  notFound,
  type Outcome,
  object,
  type Post
} from '#runtime/contract'
import type { Schema } from '#runtime/schema'
import { idOf, type Resource, type Resources, typeOf } from '../../resources.ts'
import { anything } from '../writes.ts'

type Read = (context: Context<string, undefined>) => Resource

/** The path of the jobs of a maker, standard or Oem, if there are any: clients wait for these instead of tasks. */
export function jobsOf(resources: Resources): string | undefined {
  const [found] = [...resources].find(([, resource]) => /Job(Queue)?Collection$/.test(typeOf(resource))) ?? []
  return found
}

/** Begins a job that changes nothing. @param jobs where the maker has jobs; without, it is a task */
export function begun(name: string, jobs: string | undefined, context: Context<string, unknown>): Outcome {
  const { random } = context
  if (jobs === undefined) return simulateWork(context, `job-${random(8)}`, name)
  const id = `JID_${String(Number.parseInt(random(6), 16) % 1e12).padStart(12, '0')}`
  const outcome = simulateWork(context, id, name)
  return { ...outcome, location: `${jobs}/${id}` }
}

const states = { Completed: 'Completed', Exception: 'Failed', Pending: 'Scheduled', Running: 'Running' } as const
const messages = {
  Completed: 'Job completed successfully.',
  Exception: 'Job failed.',
  Pending: 'Job scheduled.',
  Running: 'Job in progress.'
}

/** A task as a job of the maker. @param type of the collection */
function jobOf(path: string, id: string, type: string, task: Task): Resource {
  const own = type.replace(/(Queue)?Collection$/, '')
  return {
    '@odata.id': path,
    '@odata.type': `#${own}.v1_0_0.${own}`,
    Id: id,
    Name: task.name,
    JobState: states[task.state],
    Message: messages[task.state],
    PercentComplete: task.percent,
    StartTime: task.startedAt,
    EndTime: task.endedAt || null
  }
}

/** A job. @param type of the collection */
export function job(path: string, type: string): HandlerModule {
  const GET: Read = ({ state }) => jobOf(path, idOf(path), type, state.get('task', idOf(path)) ?? notFound())
  return { schema: object({}), privileges: { GET: 'LoginPriv' }, GET: GET as Get<Schema, string> }
}

/** The recorded collection of jobs, with those that have begun. A client begins one that applies pending settings. */
export function withJobs(path: string, { GET, ...collection }: HandlerModule): HandlerModule {
  const get: Read = (context) => {
    const recorded = (GET as Read)(context)
    const ids = context.state.keys('task')
    const Members = [
      ...(Array.isArray(recorded.Members) ? recorded.Members : []),
      ...ids.map((id) => ({ '@odata.id': `${path}/${id}` }))
    ]
    return { ...recorded, Members, 'Members@odata.count': Members.length }
  }
  const POST: Post<Schema> = (context) => begun('Configuration', path, context)
  const body = { ...object({ TargetSettingsURI: { type: 'string' } }), additionalProperties: { type: anything } }
  const privileges = { ...collection.privileges, POST: 'MgmtConfigPriv' } as const
  return { ...collection, body, privileges, GET: get as Get<Schema, string>, POST: POST as Post<Schema, string> }
}
