import { Component, type ReactNode } from "react";

export interface Failure {
  readonly error: unknown;
  readonly retry: () => void;
}

interface Props {
  readonly fallback: (failure: Failure) => ReactNode;
  readonly children: ReactNode;
}

interface State {
  readonly failed: { readonly error: unknown } | null;
}

/** Shows a fallback when rendering fails. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: null };

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error } };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    const retry = (): void => this.setState({ failed: null });
    return this.props.fallback({ error: failed.error, retry });
  }
}
