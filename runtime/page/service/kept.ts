import { useState } from 'preact/hooks'

const prefix = 'kept '

/** A choice of the user on a screen. It survives a reload of this tab, and ends with the login. */
export function useKept(name: string, initial = ''): [string, (value: string) => void] {
  const [value, setValue] = useState(() => sessionStorage.getItem(`${prefix}${name}`) ?? initial)
  const keep = (next: string) => {
    sessionStorage.setItem(`${prefix}${name}`, next)
    setValue(next)
  }
  return [value, keep]
}
