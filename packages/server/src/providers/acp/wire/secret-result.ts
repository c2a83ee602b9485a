/** The result of a request with secrets for the other side, which are not shown in the traffic. */
export class SecretResult {
  readonly sent: object;
  /** In place of it in the traffic. */
  readonly shown: object;

  constructor(sent: object, shown: object) {
    this.sent = sent;
    this.shown = shown;
  }
}
