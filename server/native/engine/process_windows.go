package main

func prepareProcess() {}
