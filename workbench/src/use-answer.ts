/** A question that a view asks when it is shown, and again when it is told to. */
import { useEffect, useState } from 'preact/hooks'
import { ApiFailure } from './api.ts'
import { noteLost } from './connection.ts'
import { refuseIfUnknown } from './session.ts'

export interface Asked<T> {
  readonly answer: T | undefined
  readonly failure: ApiFailure | undefined
  readonly again: () => void
}

export function useAnswer<T>(question: () => Promise<T>): Asked<T> {
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
        const told = toFailure(error)
        if (told !== undefined && !isGone) setFailure(told)
      })
    return () => {
      isGone = true
    }
  }, [count])
  return { answer, failure, again: () => setCount(count + 1) }
}

/** What can be told of an error; undefined when the session has ended by it. */
export function toFailure(error: unknown): ApiFailure | undefined {
  if (refuseIfUnknown(error)) return undefined
  if (error instanceof ApiFailure) {
    if (error.status === 0) noteLost()
    return error
  }
  noteLost()
  return new ApiFailure({ status: 0, code: 'UNREACHABLE', detail: '' })
}
