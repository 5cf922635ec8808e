var e=class extends Error{name="SavedFault";reason;constructor(r){super(r),this.reason=r}};export{e as a};
