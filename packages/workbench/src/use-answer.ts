/** Loads data for a view when it is shown, and again on request. */
import { useEffect, useState } from 'preact/hooks'
import { ApiFailure } from './api.ts'
import { noteLost } from './connection.ts'
import { refuseIfUnknown } from './session.ts'

type Answer<T> = Readonly<{ answer: T | undefined; failure: ApiFailure | undefined; again: () => void }>

export function useAnswer<T>(question: () => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<T | undefined>(undefined)
  const [failure, setFailure] = useState<ApiFailure | undefined>(undefined)
  const [count, setCount] = useState(0)
  useEffect(() => {
    let isGone = false
    question()
      .then((value) => {
        if (isGone) return
        setAnswer(() => value)
        setFailure(undefined)
      })
      .catch((error: unknown) => {
        const known = toFailure(error)
        if (known !== undefined && !isGone) setFailure(known)
      })
    return () => {
      isGone = true
    }
  }, [count])
  return { answer, failure, again: () => setCount(count + 1) }
}

/** The failure to show for an error; undefined if the error has ended the session. */
export function toFailure(error: unknown): ApiFailure | undefined {
  if (refuseIfUnknown(error)) return undefined
  if (error instanceof ApiFailure) {
    if (error.status === 0) noteLost()
    return error
  }
  noteLost()
  return new ApiFailure({ status: 0, code: 'UNREACHABLE', detail: '' })
}
