import { Opened } from '../parts/opened.tsx'

const load = async () => (await import('./own-password.tsx')).Own

/** Changes the password of the user, which every role may. */
export const OwnPassword = () => <Opened load={load} props={{}} />
