import{T as n,s as o}from"./chunk-YX6PC56X.js";var e=o([]);function s(t){e.set([...e.get(),t])}function a(t){e.set(e.get().filter(r=>r.id!==t))}n(()=>e.set([]));export{e as a,s as b,a as c};
