/** A component that is drawn again only when one of its properties has changed. */
import { Component, h, type FunctionComponent, type VNode } from 'preact'

export function memo<P extends object>(draw: FunctionComponent<P>): new (props: P) => Component<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const before: Readonly<Record<string, unknown>> = { ...this.props }
      return Object.entries(next).some(([name, value]) => before[name] !== value)
    }
    override render(): VNode {
      return h(draw as FunctionComponent<object>, this.props)
    }
  }
}
